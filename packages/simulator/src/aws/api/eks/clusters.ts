import { isDeepStrictEqual } from "node:util";
import { isObject, objectOf, textOf } from "@cloudwright/platform";
import type { ApiCall, ApiOperation } from "../../../api/api-service.ts";
import { mergeBlocks, readFields, writeFields } from "../../../api/map-fields.ts";
import type { CloudRecord } from "../../../inventory/inventory.ts";
import { clusterMapping } from "./cluster-mapping.ts";
import {
  busy,
  getCluster,
  invalid,
  listHere,
  pageOf,
  parameterOf,
  refuse,
  regionOf,
  requireIdle,
  statusOf,
} from "./eks-records.ts";
import { renderUpdate } from "./updates.ts";

const type = "aws_eks_cluster";

/** Operations on clusters. */
export const clusterOperations: readonly ApiOperation[] = [
  {
    name: "CreateCluster",
    match: { method: "POST", path: "/clusters" },
    touches: { type, operation: "create" },
    async run(call) {
      const { clientRequestToken: token, ...request } = objectOf(call.body);
      const config = { ...writeFields(clusterMapping, request), region: regionOf(call) };
      if (!isObject(request["resourcesVpcConfig"])) refuse(invalid("resourcesVpcConfig is required"));
      const mismatch = busy(`Cluster already exists with name: ${textOf(request["name"])}`);
      const { record } = await call.operations.create(type, config, { token: textOf(token), request, mismatch });
      return { content: { cluster: describeCluster(call, record) } };
    },
  },
  {
    name: "DescribeCluster",
    match: { method: "GET", path: "/clusters/{name}" },
    touches: { type, operation: "read" },
    run: async (call) => ({ content: { cluster: describeCluster(call, await getCluster(call)) } }),
  },
  {
    name: "ListClusters",
    match: { method: "GET", path: "/clusters" },
    touches: { type, operation: "read" },
    async run(call) {
      const { items, ...rest } = pageOf(call, await listHere(call, type), ({ id }) => id);
      return { content: { clusters: items.map(({ id }) => id), ...rest } };
    },
  },
  {
    name: "DeleteCluster",
    match: { method: "DELETE", path: "/clusters/{name}" },
    touches: { type, operation: "delete" },
    async run(call) {
      const record = await getCluster(call);
      requireIdle(
        call,
        record,
        ({ verb }) =>
          `Cannot delete cluster ${record.id} because it currently has ${verb === "update" ? "an" : "a"} ${verb} in progress`,
      );
      await call.operations.delete(record);
      return { content: { cluster: { ...describeCluster(call, record), status: "DELETING" } } };
    },
  },
  {
    name: "UpdateClusterConfig",
    match: { method: "POST", path: "/clusters/{name}/update-config" },
    touches: { type, operation: "update" },
    async run(call) {
      const { clientRequestToken: token, ...request } = objectOf(call.body);
      return change(call, nameUpdate(request), request, textOf(token));
    },
  },
  {
    name: "UpdateClusterVersion",
    match: { method: "POST", path: "/clusters/{name}/updates" },
    touches: { type, operation: "update" },
    async run(call) {
      const { clientRequestToken: token, version } = objectOf(call.body);
      if (textOf(version) === "") refuse(invalid("version is required"));
      return change(call, "VersionUpdate", { version: textOf(version) }, textOf(token));
    },
  },
];

async function change(call: ApiCall, name: string, request: Readonly<Record<string, unknown>>, token: string) {
  const record = await getCluster(call);
  const known = call.operations.list().find((each) => token !== "" && each.token === token);
  if (known === undefined) {
    requireIdle(call, record, ({ id }) => `Cannot ${name} because cluster ${record.id} currently has update ${id} in progress`);
  }
  const { attributes } = record;
  const patch = mergeBlocks(attributes, writeFields(clusterMapping, request));
  if (known === undefined && isDeepStrictEqual(patch, attributes)) {
    refuse(invalid(`No changes needed for the cluster ${parameterOf(call, "name")}`));
  }
  const params = listParams(request);
  const { operation } = await call.operations.update(record, patch, { name, token, request, facts: { params } });
  return { content: { update: renderUpdate(call, operation) } };
}

/** Renders a cluster. While it is being created, it has no endpoint yet. */
function describeCluster(call: ApiCall, record: CloudRecord): Record<string, unknown> {
  const { endpoint, certificateAuthority, ...cluster } = readFields(clusterMapping, record);
  const status = statusOf(call, record);
  return {
    ...cluster,
    ...(status === "CREATING" ? { certificateAuthority: {} } : { endpoint, certificateAuthority }),
    status,
    health: { issues: [] },
  };
}

/** The types of updates, keyed by request field. EKS accepts one of them per request. */
const updateNames: Readonly<Record<string, string>> = {
  logging: "LoggingUpdate",
  accessConfig: "AccessConfigUpdate",
  upgradePolicy: "UpgradePolicyUpdate",
  zonalShiftConfig: "ZonalShiftConfigUpdate",
  deletionProtection: "DeletionProtectionUpdate",
};

function nameUpdate(request: Readonly<Record<string, unknown>>): string {
  const vpc = objectOf(request["resourcesVpcConfig"]);
  const isVpc = vpc["subnetIds"] !== undefined || vpc["securityGroupIds"] !== undefined;
  const isAccess = ["endpointPublicAccess", "endpointPrivateAccess", "publicAccessCidrs"].some((name) => vpc[name] !== undefined);
  const names = [
    ...(isVpc ? ["VpcConfigUpdate"] : []),
    ...(isAccess ? ["EndpointAccessUpdate"] : []),
    ...Object.keys(request).flatMap((name) => (Object.hasOwn(updateNames, name) ? (updateNames[name] ?? []) : [])),
  ];
  const [only, another] = names;
  if (only === undefined) return refuse(invalid("The request contains no change that is supported"));
  return another === undefined ? only : refuse(invalid("Only one type of update can be allowed"));
}

/** Returns the parameters of an update with the names that EKS reports. */
function listParams(request: Readonly<Record<string, unknown>>): { readonly type: string; readonly value: string }[] {
  const vpc = objectOf(request["resourcesVpcConfig"]);
  const values = {
    Version: request["version"],
    EndpointPublicAccess: vpc["endpointPublicAccess"],
    EndpointPrivateAccess: vpc["endpointPrivateAccess"],
    PublicAccessCidrs: vpc["publicAccessCidrs"],
    Subnets: vpc["subnetIds"],
    SecurityGroups: vpc["securityGroupIds"],
    ClusterLogging: request["logging"],
    AuthenticationMode: objectOf(request["accessConfig"])["authenticationMode"],
    UpgradePolicy: request["upgradePolicy"],
    ZonalShiftConfig: request["zonalShiftConfig"],
    DeletionProtection: request["deletionProtection"],
  };
  return Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ({ type: name, value: printed(value) }));
}

function printed(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
