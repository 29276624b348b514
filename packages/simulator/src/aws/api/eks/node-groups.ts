import { isDeepStrictEqual } from "node:util";
import { listOf, objectOf, textOf, textsOf } from "@cloudwright/platform";
import type { ApiCall, ApiOperation } from "../../../api/api-service.ts";
import { mergeBlocks, readFields, writeFields, type ResourceMapping } from "../../../api/map-fields.ts";
import type { CloudRecord } from "../../../inventory/inventory.ts";
import { mapOf } from "../../../values/read-value.ts";
import { isList, type Value, type ValueMap } from "../../../values/value.ts";
import { tagsOf, toSorted } from "./cluster-mapping.ts";
import {
  busy,
  findHere,
  getCluster,
  invalid,
  listHere,
  notFound,
  pageOf,
  parameterOf,
  refuse,
  regionOf,
  requireActive,
  requireIdle,
  statusOf,
} from "./eks-records.ts";
import { renderUpdate } from "./updates.ts";

const type = "aws_eks_node_group";

/** The fields of a node group. */
export const nodeGroupMapping: ResourceMapping = {
  type,
  model: "Nodegroup",
  fields: [
    ["nodegroupName", "node_group_name"],
    ["clusterName", "cluster_name"],
    { api: "nodegroupArn", attribute: "arn", isReadOnly: true },
    ["version", "version"],
    ["releaseVersion", "release_version"],
    ["capacityType", "capacity_type"],
    ["scalingConfig.minSize", "scaling_config.0.min_size"],
    ["scalingConfig.maxSize", "scaling_config.0.max_size"],
    ["scalingConfig.desiredSize", "scaling_config.0.desired_size"],
    ["instanceTypes", "instance_types"],
    { api: "subnets", attribute: "subnet_ids", read: toSorted },
    ["amiType", "ami_type"],
    ["nodeRole", "node_role_arn"],
    ["labels", "labels"],
    { api: "taints", attribute: "taint", read: toTaints },
    { api: "resources.autoScalingGroups", attribute: "resources.0.autoscaling_groups", isReadOnly: true },
    { api: "diskSize", attribute: "disk_size", read: (size) => (size === 0 ? undefined : size) },
    ["updateConfig.maxUnavailable", "update_config.0.max_unavailable"],
    ["updateConfig.maxUnavailablePercentage", "update_config.0.max_unavailable_percentage"],
    ["launchTemplate.id", "launch_template.0.id"],
    ["launchTemplate.name", "launch_template.0.name"],
    ["launchTemplate.version", "launch_template.0.version"],
    ["remoteAccess.ec2SshKey", "remote_access.0.ec2_ssh_key"],
    { api: "remoteAccess.sourceSecurityGroups", attribute: "remote_access.0.source_security_group_ids", read: nonEmpty },
    { api: "tags", attribute: "tags", read: (_tags, record) => tagsOf(record) },
  ],
};

/** Operations on node groups. */
export const nodeGroupOperations: readonly ApiOperation[] = [
  {
    name: "CreateNodegroup",
    match: { method: "POST", path: "/clusters/{name}/node-groups" },
    touches: { type, operation: "create" },
    async run(call) {
      const cluster = await getCluster(call);
      requireActive(call, cluster);
      const { clientRequestToken: token, ...request } = objectOf(call.body);
      if (textOf(request["nodegroupName"]) === "") refuse(invalid("nodegroupName is required"));
      const config = {
        ...writeFields(nodeGroupMapping, { scalingConfig: defaultSizes, ...request, clusterName: cluster.id }),
        region: regionOf(call),
      };
      const mismatch = busy(
        `NodeGroup already exists with name ${textOf(request["nodegroupName"])} and cluster name ${cluster.id}`,
      );
      const { record } = await call.operations.create(type, config, {
        token: textOf(token),
        request: { ...request, clusterName: cluster.id },
        mismatch,
        beyond: { api_created_ms: Math.floor(call.nowMs) },
      });
      return { content: { nodegroup: describeGroup(call, record) } };
    },
  },
  {
    name: "DescribeNodegroup",
    match: { method: "GET", path: "/clusters/{name}/node-groups/{nodegroupName}" },
    touches: { type, operation: "read" },
    run: async (call) => ({ content: { nodegroup: describeGroup(call, await getGroup(call)) } }),
  },
  {
    name: "ListNodegroups",
    match: { method: "GET", path: "/clusters/{name}/node-groups" },
    touches: { type, operation: "read" },
    async run(call) {
      const cluster = await getCluster(call);
      const groups = (await listHere(call, type)).filter(({ attributes }) => attributes["cluster_name"] === cluster.id);
      const { items, ...rest } = pageOf(call, groups, ({ id }) => id);
      return { content: { nodegroups: items.map(({ attributes }) => textOf(attributes["node_group_name"])), ...rest } };
    },
  },
  {
    name: "DeleteNodegroup",
    match: { method: "DELETE", path: "/clusters/{name}/node-groups/{nodegroupName}" },
    touches: { type, operation: "delete" },
    async run(call) {
      const record = await getGroup(call);
      requireIdle(call, record, ({ verb }) => `Nodegroup cannot be deleted while its ${verb} is in progress`);
      await call.operations.delete(record);
      return { content: { nodegroup: { ...describeGroup(call, record), status: "DELETING" } } };
    },
  },
  {
    name: "UpdateNodegroupConfig",
    match: { method: "POST", path: "/clusters/{name}/node-groups/{nodegroupName}/update-config" },
    touches: { type, operation: "update" },
    async run(call) {
      const { clientRequestToken: token, ...request } = objectOf(call.body);
      const { labels, taints, ...rest } = request;
      const record = await getGroup(call);
      const patch = {
        ...writeFields(nodeGroupMapping, rest),
        ...(labels === undefined ? {} : { labels: changeLabels(record, objectOf(labels)) }),
        ...(taints === undefined ? {} : { taint: changeTaints(record, objectOf(taints)) }),
      };
      return changeGroup(call, record, { name: "ConfigUpdate", token: textOf(token), request }, patch);
    },
  },
  {
    name: "UpdateNodegroupVersion",
    match: { method: "POST", path: "/clusters/{name}/node-groups/{nodegroupName}/update-version" },
    touches: { type, operation: "update" },
    async run(call) {
      const { clientRequestToken: token, ...request } = objectOf(call.body);
      const record = await getGroup(call);
      const cluster = await getCluster(call);
      const version = textOf(request["version"]) || textOf(cluster.attributes["version"]);
      const patch = writeFields(nodeGroupMapping, { ...request, version, force: undefined });
      return changeGroup(call, record, { name: "VersionUpdate", token: textOf(token), request }, patch);
    },
  },
];

const defaultSizes = { minSize: 1, maxSize: 2, desiredSize: 2 };

async function changeGroup(
  call: ApiCall,
  record: CloudRecord,
  note: { readonly name: string; readonly token: string; readonly request: Readonly<Record<string, unknown>> },
  patch: ValueMap,
) {
  const { name, token, request } = note;
  const known = call.operations.list().find((each) => token !== "" && each.token === token);
  const label = textOf(record.attributes["node_group_name"]);
  if (known === undefined) {
    requireIdle(call, record, () => `Nodegroup ${label} cannot be updated as it is currently not in Active State`);
  }
  const wanted = mergeBlocks(record.attributes, patch);
  const isSame = known === undefined && isDeepStrictEqual(wanted, record.attributes);
  if (isSame && name === "ConfigUpdate") refuse(invalid("There are no changes to the node group's configuration"));
  const params = listParams(request);
  const { operation } = await call.operations.update(record, wanted, { name, token, request, facts: { params } });
  return { content: { update: renderUpdate(call, operation) } };
}

/** Returns the parameters of an update with the names that EKS reports. */
function listParams(request: Readonly<Record<string, unknown>>): { readonly type: string; readonly value: string }[] {
  const [sizes, updates] = [objectOf(request["scalingConfig"]), objectOf(request["updateConfig"])];
  const [labels, taints] = [objectOf(request["labels"]), objectOf(request["taints"])];
  const values = {
    Version: request["version"],
    ReleaseVersion: request["releaseVersion"],
    MinSize: sizes["minSize"],
    MaxSize: sizes["maxSize"],
    DesiredSize: sizes["desiredSize"],
    MaxUnavailable: updates["maxUnavailable"],
    MaxUnavailablePercentage: updates["maxUnavailablePercentage"],
    LabelsToAdd: labels["addOrUpdateLabels"],
    LabelsToRemove: labels["removeLabels"],
    TaintsToAdd: taints["addOrUpdateTaints"],
    TaintsToRemove: taints["removeTaints"],
  };
  return Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ({ type: name, value: typeof value === "string" ? value : JSON.stringify(value) }));
}

async function getGroup(call: ApiCall): Promise<CloudRecord> {
  const cluster = await getCluster(call);
  const name = parameterOf(call, "nodegroupName");
  const found = await findHere(call, type, `${cluster.id}:${name}`);
  return found ?? refuse(notFound(`No node group found for name: ${name}.`));
}

/** Renders a node group. */
function describeGroup(call: ApiCall, record: CloudRecord): Record<string, unknown> {
  const createdMs = record.attributes["api_created_ms"];
  const times = typeof createdMs === "number" ? { createdAt: createdMs / 1000, modifiedAt: createdMs / 1000 } : {};
  return { ...readFields(nodeGroupMapping, record), ...times, status: statusOf(call, record), health: { issues: [] } };
}

function toTaints(value: Value): unknown {
  const taints = (isList(value) ? value : []).map((taint) => {
    const { key, value: text, effect } = mapOf(taint);
    return { key, ...(textOf(text) === "" ? {} : { value: text }), effect };
  });
  return taints.length === 0 ? undefined : taints;
}

function nonEmpty(value: Value): unknown {
  const texts = toSorted(value);
  return texts.length > 0 ? texts : undefined;
}

function changeLabels({ attributes }: CloudRecord, change: Readonly<Record<string, unknown>>): ValueMap {
  const removed = new Set(textsOf(change["removeLabels"]));
  const kept = Object.entries(mapOf(attributes["labels"])).filter(([key]) => !removed.has(key));
  const added = Object.entries(objectOf(change["addOrUpdateLabels"])).map(([key, value]): [string, Value] => [
    key,
    textOf(value),
  ]);
  return Object.fromEntries([...kept, ...added]);
}

function changeTaints({ attributes }: CloudRecord, change: Readonly<Record<string, unknown>>): readonly Value[] {
  const read = (name: string): ValueMap[] =>
    listOf(change[name])
      .map(objectOf)
      .map(({ key, value, effect }) => ({ key: textOf(key), value: textOf(value) || null, effect: textOf(effect) }));
  const [added, removed] = [read("addOrUpdateTaints"), read("removeTaints")];
  const isNamed = (taints: readonly ValueMap[], taint: ValueMap): boolean =>
    taints.some(({ key, effect }) => key === taint["key"] && effect === taint["effect"]);
  const current = attributes["taint"];
  const kept = (isList(current) ? current : []).map(mapOf).filter((taint) => !isNamed(removed, taint) && !isNamed(added, taint));
  return [...kept, ...added];
}
