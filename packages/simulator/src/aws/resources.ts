import type { AwsResources } from "./create-hooks.ts";
import { endpoints } from "./ec2/endpoints.ts";
import { gateways } from "./ec2/gateways.ts";
import { machines } from "./ec2/machines.ts";
import { networkAcls } from "./ec2/network-acls.ts";
import { routes } from "./ec2/routes.ts";
import { securityGroups } from "./ec2/security-groups.ts";
import { vpcs } from "./ec2/vpc.ts";
import { access } from "./eks/access.ts";
import type { DescribeClusterApi } from "../cloud/cluster-api.ts";
import { createClusters } from "./eks/clusters.ts";
import { nodeGroups } from "./eks/node-groups.ts";
import { policies } from "./iam/policies.ts";
import { roles } from "./iam/roles.ts";
import { keysAndLogs } from "./keys-and-logs.ts";
import { queuesAndEvents } from "./queues-and-events.ts";
import { buckets } from "./s3/buckets.ts";
import { settings } from "./s3/settings.ts";

/** Returns every resource type that the AWS simulator supports. */
export function createResources(describeApi: DescribeClusterApi | undefined): AwsResources {
  return {
    ...vpcs,
    ...gateways,
    ...routes,
    ...networkAcls,
    ...securityGroups,
    ...endpoints,
    ...machines,
    ...roles,
    ...policies,
    ...keysAndLogs,
    ...queuesAndEvents,
    ...createClusters(describeApi),
    ...nodeGroups,
    ...access,
    ...buckets,
    ...settings,
  };
}
