import { objectOf, textOf } from "@cloudwright/platform";
import type { ApiCall, ApiOperation } from "../../../api/api-service.ts";
import { readFields, writeFields, type ResourceMapping } from "../../../api/map-fields.ts";
import type { CloudRecord } from "../../../inventory/inventory.ts";
import { findAddonVersion, listAddons, offeredVersions } from "../../eks/versions.ts";
import { tagsOf, toSeconds } from "./cluster-mapping.ts";
import {
  findHere,
  getCluster,
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

const type = "aws_eks_addon";

/** The fields of an add-on. */
export const addonMapping: ResourceMapping = {
  type,
  model: "Addon",
  fields: [
    ["addonName", "addon_name"],
    ["clusterName", "cluster_name"],
    ["addonVersion", "addon_version"],
    { api: "addonArn", attribute: "arn", isReadOnly: true },
    { api: "createdAt", attribute: "created_at", read: toSeconds, isReadOnly: true },
    { api: "modifiedAt", attribute: "modified_at", read: toSeconds, isReadOnly: true },
    ["serviceAccountRoleArn", "service_account_role_arn"],
    ["configurationValues", "configuration_values"],
    { api: "tags", attribute: "tags", read: (_tags, record) => tagsOf(record) },
  ],
};

/** Operations on add-ons. */
export const addonOperations: readonly ApiOperation[] = [
  {
    name: "CreateAddon",
    match: { method: "POST", path: "/clusters/{name}/addons" },
    touches: { type, operation: "create" },
    async run(call) {
      const cluster = await getCluster(call);
      requireActive(call, cluster);
      const { clientRequestToken: token, ...request } = objectOf(call.body);
      const config = writeFields(addonMapping, { ...request, clusterName: cluster.id });
      const { record } = await call.operations.create(
        type,
        { ...config, region: regionOf(call) },
        { token: textOf(token), request: { ...request, clusterName: cluster.id } },
      );
      return { content: { addon: describeAddon(call, record) } };
    },
  },
  {
    name: "DescribeAddon",
    match: { method: "GET", path: "/clusters/{name}/addons/{addonName}" },
    touches: { type, operation: "read" },
    run: async (call) => ({ content: { addon: describeAddon(call, await getAddon(call)) } }),
  },
  {
    name: "ListAddons",
    match: { method: "GET", path: "/clusters/{name}/addons" },
    touches: { type, operation: "read" },
    async run(call) {
      const cluster = await getCluster(call);
      const addons = (await listHere(call, type)).filter(({ attributes }) => attributes["cluster_name"] === cluster.id);
      const { items, ...rest } = pageOf(call, addons, ({ id }) => id);
      return { content: { addons: items.map(({ attributes }) => textOf(attributes["addon_name"])), ...rest } };
    },
  },
  {
    name: "DeleteAddon",
    match: { method: "DELETE", path: "/clusters/{name}/addons/{addonName}" },
    touches: { type, operation: "delete" },
    async run(call) {
      const record = await getAddon(call);
      requireIdle(
        call,
        record,
        ({ verb }) => `Addon ${record.id} currently has ${verb === "update" ? "an" : "a"} ${verb} in progress`,
      );
      await call.operations.delete(record);
      return { content: { addon: { ...describeAddon(call, record), status: "DELETING" } } };
    },
  },
  {
    name: "DescribeAddonVersions",
    match: { method: "GET", path: "/addons/supported-versions" },
    async run(call) {
      const { query } = call;
      const name = query.get("addonName") ?? "";
      const wanted = query.get("kubernetesVersion") ?? "";
      const versions = offeredVersions.map(({ version }) => version).filter((version) => wanted === "" || version === wanted);
      const names = versions.length === 0 ? [] : listAddons().filter((each) => name === "" || each === name);
      const { items, ...rest } = pageOf(call, names, (each) => each);
      return { content: { addons: items.map((each) => describeVersions(each, versions)), ...rest } };
    },
  },
];

function describeVersions(name: string, versions: readonly string[]): Record<string, unknown> {
  const byAddon = Map.groupBy(versions, (version) => findAddonVersion(name, version) ?? "");
  return {
    addonName: name,
    type: "networking",
    owner: "aws",
    publisher: "eks",
    addonVersions: [...byAddon].map(([addonVersion, clusters]) => ({
      addonVersion,
      architecture: ["amd64", "arm64"],
      compatibilities: clusters.map((clusterVersion) => ({ clusterVersion, platformVersions: ["*"], defaultVersion: true })),
      requiresConfiguration: false,
    })),
  };
}

async function getAddon(call: ApiCall): Promise<CloudRecord> {
  const cluster = await getCluster(call);
  const name = parameterOf(call, "addonName");
  const found = await findHere(call, type, `${cluster.id}:${name}`);
  return found ?? refuse(notFound(`No addon: ${name} found in cluster: ${cluster.id}`));
}

function describeAddon(call: ApiCall, record: CloudRecord): Record<string, unknown> {
  return { ...readFields(addonMapping, record), status: statusOf(call, record), health: { issues: [] } };
}
