import { findGpuProblem } from "@cloudwright/contract/clouds/gcp/gpus";
import { parseRange } from "@cloudwright/platform";
import { getQuota } from "../../cloud/quotas.ts";
import type { CloudRecord } from "../../inventory/inventory.ts";
import type { HookContext, Problem } from "../../provider/definition.ts";
import { blockOf, numberOf, textOf, textsAt } from "../../values/read-value.ts";
import { unknown, type Value, type ValueMap } from "../../values/value.ts";
import { findMachineType, isOfferedIn } from "../compute/machine-types.ts";
import { hash, placeOf, type Place } from "../place.ts";
import type { Refusal } from "../refusal.ts";
import type { GcpChange, GcpResource } from "../resource.ts";
import { findSubnet, listSecondary } from "./clusters.ts";
import { badRequest, findLocation, refuseAccount } from "./refusals.ts";
import { findVersion, minorOf } from "./versions.ts";

const pool: GcpResource = {
  noun: "NodePool",
  path: `projects/{project}/locations/{location}/clusters/{cluster}/nodePools/{name}`,
  api: "container/v1",
  forceNew: [
    "initial_node_count",
    "max_pods_per_node",
    "node_config.boot_disk_kms_key",
    "node_config.guest_accelerator",
    "node_config.metadata",
    "node_config.oauth_scopes",
    "node_config.preemptible",
    "node_config.service_account",
    "node_config.shielded_instance_config",
    "node_config.spot",
    "placement_policy",
  ],
  computedBlocks: ["management", "network_config", "node_config", "upgrade_settings"],
  recompute: {
    instance_group_urls: ["node_locations"],
    managed_instance_group_urls: ["node_locations"],
    // These attributes are never recomputed. They are listed so that a change through the API does not appear to set both counts.
    node_count: [],
    initial_node_count: [],
  },
  names: [
    {
      path: "cluster",
      to: ["google_container_cluster"],
      tie: "follows",
      idOf: (written) => (written.startsWith("projects/") ? written : undefined),
    },
  ],
  limits: [
    {
      quota: "node-pools-per-cluster",
      within: "cluster",
      refusal: (limit) => ({
        code: "quotaExceeded",
        status: 403,
        message: `The maximum number of node pools (${limit}) has been reached`,
      }),
    },
  ],
  takes: { create: 90, update: 60, delete: 120 },
  validate: checkForm,
  check: checkPool,
  compute: describePool,
};

/** Returns the id of a pool's cluster. A plain cluster name refers to a cluster in the pool's own location. */
function clusterIdOf(attributes: ValueMap, { project }: Place): string {
  const written = textOf(attributes["cluster"]);
  if (written.startsWith("projects/")) return written;
  return `projects/${project}/locations/${textOf(attributes["location"])}/clusters/${written}`;
}

/** Returns the errors that the provider itself reports before it calls GKE. */
function checkForm({ name, autoscaling, node_count: count, initial_node_count: initial }: ValueMap): readonly Problem[] {
  const { max_node_count: max, total_max_node_count: total } = blockOf({ autoscaling: autoscaling ?? null }, "autoscaling");
  return [
    ...(typeof name === "string" && !/^[a-z]([-a-z0-9]{0,38}[a-z0-9])?$/.test(name)
      ? [
          {
            summary: `"name" (${JSON.stringify(name)}) must start with a letter and have at most 40 lower-case letters, digits and hyphens`,
            path: ["name"],
          },
        ]
      : []),
    ...[max, total]
      .filter((value) => typeof value === "number" && value < 1)
      .map(() => ({
        summary: "expected autoscaling.0.max_node_count to be at least (1)",
        path: ["autoscaling", 0, "max_node_count"],
      })),
    ...(typeof count === "number" && typeof initial === "number"
      ? [{ summary: "Cannot set both initial_node_count and node_count on node pool", path: ["node_count"] }]
      : []),
  ];
}

/** Returns the zones of a pool. A pool without its own zones uses those of its cluster. */
export function zonesOf(attributes: ValueMap, cluster: ValueMap | undefined): readonly string[] {
  const own = textsAt(attributes, "node_locations");
  if (own.length > 0) return own.toSorted();
  const inherited = textsAt(cluster, "node_locations");
  const location = textOf(attributes["location"]);
  const isZonal = findLocation(location)?.zones[0] === location;
  return [...new Set([...(isZonal ? [location] : []), ...inherited])].toSorted();
}

/** Returns the number of nodes that a pool has in each of its zones. */
export function nodesPerZone({ node_count: count, initial_node_count: initial }: ValueMap): number {
  return typeof count === "number" ? count : numberOf(initial);
}

async function checkPool(change: GcpChange, context: HookContext): Promise<readonly Refusal[]> {
  const { operation, planned, prior, place } = change;
  if (operation === "delete") return [];
  // `checkForm` sees only the configuration. When a pool is replaced, the plan may also contain the node count that the cloud reported for
  // the old pool.
  if (operation === "create" && numberOf(planned["initial_node_count"]) > 0 && numberOf(planned["node_count"]) > 0)
    return [badRequest("Cannot set both initial_node_count and node_count on node pool", "node_count")];
  const cluster = await findCluster(planned, place, context);
  if (cluster === undefined)
    return [{ code: "notFound", status: 404, message: `Not found: ${clusterIdOf(planned, place)}.`, path: ["cluster"] }];
  const config = blockOf(planned, "node_config");
  return [
    ...checkZones(planned, cluster),
    ...checkMachine(planned, cluster),
    ...checkSizes(planned, context),
    ...checkVersion(prior, planned, cluster),
    ...(await refuseAccount(textOf(config["service_account"]), place.project, context)),
    ...(await checkAddresses(change, cluster, context)),
    ...(await checkProcessors(change, cluster, context)),
  ];
}

async function findCluster(attributes: ValueMap, place: Place, context: HookContext): Promise<ValueMap | undefined> {
  const id = clusterIdOf(attributes, place);
  return (await context.find({ type: "google_container_cluster", id }))?.attributes;
}

function checkZones(planned: ValueMap, cluster: ValueMap | undefined): readonly Refusal[] {
  const region = findLocation(textOf(planned["location"]))?.region;
  const strange = zonesOf(planned, cluster).find((zone) => findLocation(zone)?.region !== region);
  return strange === undefined ? [] : [badRequest(`Location "${strange}" is not in region "${region ?? ""}".`, "node_locations")];
}

const gpuRefusals = {
  accelerator: (machineType: string, gpu: string) => `Machine type ${machineType} does not support accelerators of type ${gpu}.`,
  acceleratorCount: (machineType: string, gpu: string) => `Invalid accelerator count for ${gpu} on machine type ${machineType}.`,
};

function checkMachine(planned: ValueMap, cluster: ValueMap | undefined): readonly Refusal[] {
  const config = blockOf(planned, "node_config");
  const type = textOf(config["machine_type"]) || "e2-medium";
  const zones = zonesOf(planned, cluster);
  const missing = findMachineType(type) === undefined ? zones[0] : zones.find((zone) => !isOfferedIn(type, zone));
  if (missing !== undefined)
    return [badRequest(`Machine type with name '${type}' does not exist in zone '${missing}'.`, "node_config")];
  const { type: gpu, count } = blockOf(config, "guest_accelerator");
  const accelerator = textOf(gpu);
  const gpuProblem = accelerator === "" ? undefined : findGpuProblem(type, { type: accelerator, count: numberOf(count) });
  const diskGib = numberOf(config["disk_size_gb"]);
  const image = textOf(config["image_type"]);
  return [
    ...(accelerator !== "" && !/^(nvidia|ct)-/.test(accelerator)
      ? [badRequest(`Accelerator type "${accelerator}" does not exist in zone ${zones[0] ?? ""}.`, "node_config")]
      : []),
    ...(gpuProblem === undefined ? [] : [badRequest(gpuRefusals[gpuProblem.field](type, accelerator), "node_config")]),
    ...(diskGib > 0 && (diskGib < 10 || diskGib > 65_536)
      ? [badRequest(`Disk size ${diskGib} GB is out of range; it must be between 10 GB and 65536 GB.`, "node_config")]
      : []),
    ...(image !== "" && !/^(COS_CONTAINERD|UBUNTU_CONTAINERD|WINDOWS_LTSC_CONTAINERD)$/i.test(image)
      ? [badRequest(`Image type "${image}" is not supported.`, "node_config")]
      : []),
  ];
}

function checkSizes(planned: ValueMap, context: HookContext): readonly Refusal[] {
  const { min_node_count: min, max_node_count: max } = blockOf(planned, "autoscaling");
  if (numberOf(min) > numberOf(max) && typeof max === "number")
    return [badRequest(`Autoscaling min_node_count ${numberOf(min)} is greater than max_node_count ${max}.`, "autoscaling")];
  const limit = getQuota("nodes-per-node-group", context.conditions);
  return nodesPerZone(planned) > limit
    ? [{ status: 403, message: `Node pool size exceeds the limit of ${limit} nodes per zone`, code: "quotaExceeded" }]
    : [];
}

function checkVersion(prior: ValueMap, planned: ValueMap, cluster: ValueMap | undefined): readonly Refusal[] {
  const version = textOf(planned["version"]);
  const master = textOf(cluster?.["master_version"]);
  if (version === "" || version === prior["version"] || master === "") return [];
  if (findVersion(version) === undefined) return [badRequest(`Node version "${version}" is unsupported.`, "version")];
  if (minorOf(version) > minorOf(master))
    return [badRequest(`Node version ${version} must not be greater than master version ${master}.`, "version")];
  const skew = minorOf(master) - minorOf(version);
  return skew > 2 ? [badRequest(`Node version ${version} is too old for master version ${master}.`, "version")] : [];
}

/**
 * Returns an error if the pod range is too small. Each node reserves a block of pod addresses that is at least twice as large as its
 * maximum number of pods.
 */
async function checkAddresses(
  { id, planned, place }: GcpChange,
  cluster: ValueMap | undefined,
  context: HookContext,
): Promise<readonly Refusal[]> {
  const subnet = cluster === undefined ? undefined : await findSubnet(cluster, place, context);
  const name = textOf(blockOf(cluster, "ip_allocation_policy")["cluster_secondary_range_name"]);
  const range = parseRange(listSecondary(subnet ?? {}).get(name) ?? "");
  if (range === undefined) return [];
  const others = (await context.list("google_container_node_pool")).filter(
    (record) => record.id !== id && record.attributes["cluster"] === planned["cluster"],
  );
  const needed = [planned, ...others.map(({ attributes }) => attributes)].reduce((sum, attributes) => {
    const pods = numberOf(attributes["max_pods_per_node"]) || 110;
    const block = 2 ** Math.ceil(Math.log2(pods * 2));
    return sum + block * nodesPerZone(attributes) * zonesOf(attributes, cluster).length;
  }, 0);
  return needed <= 2 ** (32 - range.prefix)
    ? []
    : [
        badRequest(
          `IP_SPACE_EXHAUSTED: the secondary range '${name}' has no free block of addresses for the pods of another node.`,
        ),
      ];
}

async function checkProcessors(
  { id, planned, place }: GcpChange,
  cluster: ValueMap | undefined,
  context: HookContext,
): Promise<readonly Refusal[]> {
  const clusters = new Map((await context.list("google_container_cluster")).map((record) => [record.id, record.attributes]));
  const others = (await context.list("google_container_node_pool")).filter((record) => record.id !== id);
  const countOther = ({ attributes }: CloudRecord): number =>
    countProcessors(attributes, clusters.get(clusterIdOf(attributes, placeOf(context, attributes))));
  const wanted = others.reduce((sum, record) => sum + countOther(record), countProcessors(planned, cluster));
  const limit = getQuota("vcpus-per-region", context.conditions);
  if (wanted <= limit) return [];
  const region = findLocation(textOf(planned["location"]))?.region ?? "";
  const message = `Insufficient regional quota to satisfy request: resource "CPUS": request requires '${wanted}.0' and is short '${wanted - limit}.0'. project has a quota of '${limit}.0' with '${limit}.0' available. View and manage quotas at https://console.cloud.google.com/iam-admin/quotas?usage=USED&project=${place.project} (${region})`;
  return [{ status: 403, message, code: "quotaExceeded" }];
}

/** Returns the total number of vCPUs of all nodes in a pool. */
function countProcessors(attributes: ValueMap, cluster: ValueMap | undefined): number {
  const type = textOf(blockOf(attributes, "node_config")["machine_type"]) || "e2-medium";
  return nodesPerZone(attributes) * zonesOf(attributes, cluster).length * (findMachineType(type)?.vcpus ?? 2);
}

async function describePool({ id, planned, prior, place }: GcpChange, context: HookContext): Promise<Record<string, Value>> {
  const cluster = await findCluster(planned, place, context);
  const zones = zonesOf(planned, cluster);
  const groups = zones.map(
    (zone) =>
      `https://www.googleapis.com/compute/v1/projects/${place.project}/zones/${zone}/instanceGroupManagers/${nameGroup(id, planned, zone)}`,
  );
  const config = blockOf(planned, "node_config");
  const initial = planned["initial_node_count"];
  const count = planned["node_count"];
  const nodes = typeof count === "number" ? count : typeof initial === "number" ? initial : 0;
  return {
    location: textOf(cluster?.["location"]) || textOf(planned["location"]),
    version: textOf(prior["version"]) || textOf(cluster?.["master_version"]),
    node_locations: [...zones],
    initial_node_count: nodes,
    node_count: initial === unknown || typeof initial !== "number" ? nodes : initial,
    max_pods_per_node: 110,
    name_prefix: "",
    operation: "",
    instance_group_urls: groups,
    managed_instance_group_urls: groups.map((url) => url.replace("instanceGroupManagers", "instanceGroups")),
    management: [{ auto_repair: true, auto_upgrade: true }],
    network_config: [
      {
        enable_private_nodes: blockOf(cluster, "private_cluster_config")["enable_private_nodes"] === true,
        pod_range: textOf(blockOf(cluster, "ip_allocation_policy")["cluster_secondary_range_name"]),
        pod_ipv4_cidr_block: textOf(cluster?.["cluster_ipv4_cidr"]),
        subnetwork: textOf(cluster?.["subnetwork"]),
      },
    ],
    node_config: [
      {
        machine_type: "e2-medium",
        image_type: "COS_CONTAINERD",
        disk_size_gb: 100,
        disk_type: "pd-balanced",
        labels: {},
        logging_variant: "DEFAULT",
        local_ssd_count: 0,
        metadata: { "disable-legacy-endpoints": "true" },
        oauth_scopes: ["https://www.googleapis.com/auth/cloud-platform"],
        service_account: "default",
        effective_taints: config["taint"] ?? [],
      },
    ],
    upgrade_settings: [{ max_surge: 1, max_unavailable: 0, strategy: "SURGE" }],
  };
}

/** Returns the name of a pool's instance group in a zone. The names of the group's nodes have the same prefix. */
export function nameGroup(id: string, attributes: ValueMap, zone: string): string {
  const cluster = textOf(attributes["cluster"]).split("/").at(-1) ?? "";
  const digits = hash(`${id} ${zone}`).slice(0, 8);
  return `gke-${cluster.slice(0, 20)}-${textOf(attributes["name"]).slice(0, 15)}-${digits}-grp`.replaceAll(/-+/g, "-");
}

/** The GKE node pool resource type. */
export const nodePools = { google_container_node_pool: pool } as const;
