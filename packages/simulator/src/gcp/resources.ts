import type { DescribeClusterApi } from "../cloud/cluster-api.ts";
import type { ResourceHooks } from "../provider/definition.ts";
import type { ProviderSchema } from "../schema/schema.ts";
import { instances } from "./compute/instances.ts";
import { createHooks } from "./create-hooks.ts";
import { createClusters } from "./gke/clusters.ts";
import { nodePools } from "./gke/node-pools.ts";
import { iamResources } from "./iam/accounts.ts";
import { kmsResources } from "./kms/keys.ts";
import { addresses } from "./network/addresses.ts";
import { nats } from "./network/nat.ts";
import { networks } from "./network/networks.ts";
import type { GcpResources } from "./resource.ts";
import { buckets } from "./storage/buckets.ts";
import { disks } from "./storage/disks.ts";

const located = "projects/{project}/locations/{location}";

const others: GcpResources = {
  google_filestore_instance: {
    noun: "Instance",
    path: `${located}/instances/{name}`,
    api: "file/v1",
    forceNew: ["tier"],
    takes: { create: 180, update: 90, delete: 90 },
  },
  google_project_service: {
    noun: "Service",
    path: "{project}/{service}",
    api: "serviceusage/v1",
    takes: { create: 9, delete: 2 },
  },
  google_service_networking_connection: {
    noun: "Connection",
    path: "{network}:{service}",
    api: "servicenetworking/v1",
    takes: { create: 60, update: 30, delete: 30 },
  },
};

/** Creates the hooks of every resource type that the GCP simulator supports. */
export function createResources(
  schema: ProviderSchema,
  describeApi: DescribeClusterApi | undefined,
): Readonly<Record<string, ResourceHooks>> {
  const resources: GcpResources = {
    ...others,
    ...instances,
    ...createClusters(describeApi),
    ...nodePools,
    ...iamResources,
    ...kmsResources,
    ...networks,
    ...nats,
    ...addresses,
    ...disks,
    ...buckets,
  };
  return Object.fromEntries(
    Object.entries(schema.resources).flatMap(([type, one]) =>
      resources[type] === undefined ? [] : [[type, createHooks(type, resources, one)] as const],
    ),
  );
}
