import { overlaps, parseRange } from "@cloudwright/platform";
import type { ClusterApi, DescribeClusterApi } from "../../cloud/cluster-api.ts";
import type { HookContext, Problem } from "../../provider/definition.ts";
import { blockOf, mapOf, textOf, textsAt } from "../../values/read-value.ts";
import { isList, type Value, type ValueMap } from "../../values/value.ts";
import { createSelfSigned } from "../../wire/certificate.ts";
import { hash, projectNumber, type Place } from "../place.ts";
import type { Refusal } from "../refusal.ts";
import { inNetwork, inSubnetwork, type GcpChange, type GcpResource } from "../resource.ts";
import { badRequest, findLocation, refuseAccount } from "./refusals.ts";
import { channelVersions, findVersion, minorOf, offeredVersions } from "./versions.ts";

/** Returns the GKE cluster resource type. */
export function createClusters(describeApi: DescribeClusterApi | undefined): { readonly google_container_cluster: GcpResource } {
  return {
    google_container_cluster: {
      noun: "Cluster",
      path: `projects/{project}/locations/{location}/clusters/{name}`,
      api: "container/v1",
      forceNew: [
        "network",
        "subnetwork",
        "cluster_ipv4_cidr",
        "networking_mode",
        "datapath_provider",
        "default_max_pods_per_node",
        "enable_autopilot",
        "initial_node_count",
        "ip_allocation_policy",
        "private_cluster_config.master_ipv4_cidr_block",
        "node_config.service_account",
        "node_config.oauth_scopes",
        "node_config.shielded_instance_config",
      ],
      defaults: {
        deletion_protection: true,
        enable_shielded_nodes: true,
        enable_kubernetes_alpha: false,
        enable_legacy_abac: false,
      },
      computedBlocks: [
        "addons_config",
        "control_plane_endpoints_config",
        "database_encryption",
        "default_snat_status",
        "ip_allocation_policy",
        "logging_config",
        "master_auth",
        "master_authorized_networks_config",
        "monitoring_config",
        "node_config",
        "node_pool",
        "private_cluster_config",
        "release_channel",
        "security_posture_config",
        "service_external_ips_config",
      ],
      recompute: { master_version: ["min_master_version"], node_version: ["min_master_version"] },
      names: [inNetwork(), inSubnetwork()],
      limits: [
        {
          quota: "managed-clusters-per-region",
          within: "location",
          refusal: (limit) => ({
            code: "quotaExceeded",
            message: `Insufficient quota to satisfy the request: the maximum number of clusters (${limit}) has been reached`,
            status: 403,
          }),
        },
      ],
      held: (_id, holder) => ({
        code: "failedPrecondition",
        message: `Cluster is running incompatible operation on ${holder.id}`,
      }),
      takes: { create: 420, update: 300, delete: 240 },
      validate: checkForm,
      check: checkCluster,
      compute: (change, context) => describeCluster(change, context, describeApi),
      // GKE deletes a cluster together with its node pools. Terraform deletes the node pools first.
      sideEffects: async ({ operation, id }, context) => {
        if (operation !== "delete") return {};
        const pools = await context.list("google_container_node_pool");
        return { delete: pools.filter((pool) => pool.id.startsWith(`${id}/nodePools/`)) };
      },
    },
  };
}

/** Returns the errors that the provider itself reports before it calls GKE. */
function checkForm({ name, remove_default_node_pool: removes, initial_node_count: count }: ValueMap): readonly Problem[] {
  return [
    ...(typeof name === "string" && !/^[a-z]([-a-z0-9]{0,38}[a-z0-9])?$/.test(name)
      ? [
          {
            summary: `"name" (${JSON.stringify(name)}) must start with a letter and have at most 40 lower-case letters, digits and hyphens`,
            path: ["name"],
          },
        ]
      : []),
    ...(removes === true && typeof count === "number" && count < 1
      ? [{ summary: "remove_default_node_pool requires an initial_node_count of at least 1", path: ["initial_node_count"] }]
      : []),
  ];
}

async function checkCluster(change: GcpChange, context: HookContext): Promise<readonly Refusal[]> {
  const { operation, planned, prior, place } = change;
  if (operation === "delete") {
    return prior["deletion_protection"] === true
      ? [
          badRequest(
            "Cannot destroy cluster because deletion_protection is set to true. Set it to false to proceed with cluster deletion.",
          ),
        ]
      : [];
  }
  const found = findLocation(textOf(planned["location"]));
  if (found === undefined) return [badRequest(`Location "${textOf(planned["location"])}" does not exist.`, "location")];
  const strange = textsAt(planned, "node_locations").find(
    (zone) => findLocation(zone)?.region !== found.region || zone === found.region,
  );
  return [
    ...(strange === undefined
      ? []
      : [badRequest(`Node location "${strange}" is not in region "${found.region}".`, "node_locations")]),
    ...checkVersion(prior, planned),
    ...(operation === "create" ? await checkRanges(change, context) : []),
    ...(operation === "create"
      ? await refuseAccount(textOf(blockOf(planned, "node_config")["service_account"]), place.project, context)
      : []),
    ...(await checkKey(change, context)),
  ];
}

function checkVersion(prior: ValueMap, planned: ValueMap): readonly Refusal[] {
  const wanted = textOf(planned["min_master_version"]);
  const current = textOf(prior["master_version"]);
  if (wanted === "" || wanted === prior["min_master_version"]) return [];
  const found = findVersion(wanted);
  if (found === undefined) {
    return [
      badRequest(
        `No valid versions with the prefix "${wanted}" found. Offered versions: ${offeredVersions.join(", ")}.`,
        "min_master_version",
      ),
    ];
  }
  if (current === "" || minorOf(found) - minorOf(current) <= 1) return [];
  return [
    badRequest(
      `Master cannot be upgraded to "${found}": cannot upgrade the master more than one minor version at a time.`,
      "min_master_version",
    ),
  ];
}

async function checkRanges({ planned, place }: GcpChange, context: HookContext): Promise<readonly Refusal[]> {
  const subnet = await findSubnet(planned, place, context);
  if (subnet === undefined) return [];
  const ranges = listSecondary(subnet);
  const policy = blockOf(planned, "ip_allocation_policy");
  for (const [what, field] of [
    ["Pod", "cluster_secondary_range_name"],
    ["Services", "services_secondary_range_name"],
  ] as const) {
    const name = textOf(policy[field]);
    if (name !== "" && !ranges.has(name))
      return [
        badRequest(
          `${what} secondary range "${name}" not found in subnetwork "${textOf(subnet["name"])}".`,
          "ip_allocation_policy",
        ),
      ];
  }
  const own = parseRange(textOf(blockOf(planned, "private_cluster_config")["master_ipv4_cidr_block"]));
  const taken = [textOf(subnet["ip_cidr_range"]), ...ranges.values()].find((text) => {
    const other = parseRange(text);
    return own !== undefined && other !== undefined && overlaps(own, other);
  });
  return taken === undefined
    ? []
    : [badRequest(`The given master CIDR conflicts with the range ${taken} of the subnetwork.`, "private_cluster_config")];
}

/** Finds the subnetwork of a cluster. */
export async function findSubnet(
  attributes: ValueMap,
  place: Place,
  context: Pick<HookContext, "find">,
): Promise<ValueMap | undefined> {
  const id = inSubnetwork().idOf?.(textOf(attributes["subnetwork"]), place) ?? "";
  return (await context.find({ type: "google_compute_subnetwork", id }))?.attributes;
}

/** Returns the secondary ranges of a subnetwork, keyed by name. */
export function listSecondary(subnet: ValueMap): ReadonlyMap<string, string> {
  const ranges = subnet["secondary_ip_range"];
  return new Map(
    (isList(ranges) ? ranges : []).map(mapOf).map((range) => [textOf(range["range_name"]), textOf(range["ip_cidr_range"])]),
  );
}

/** GKE encrypts Secrets only with a key that GKE's service agent is allowed to use. */
async function checkKey({ planned, place }: GcpChange, context: HookContext): Promise<readonly Refusal[]> {
  const key = textOf(blockOf(planned, "database_encryption")["key_name"]);
  if (key === "" || !key.startsWith(`projects/${place.project}/`)) return [];
  if ((await context.find({ type: "google_kms_crypto_key", id: key })) === undefined)
    return [badRequest(`Cloud KMS key "${key}" does not exist.`, "database_encryption")];
  const agent = `serviceAccount:service-${projectNumber(place.project)}@container-engine-robot.iam.gserviceaccount.com`;
  const members = await context.list("google_kms_crypto_key_iam_member");
  const isAllowed = members.some(
    ({ attributes }) =>
      attributes["crypto_key_id"] === key &&
      attributes["member"] === agent &&
      textOf(attributes["role"]).startsWith("roles/cloudkms.cryptoKeyEncrypter"),
  );
  if (isAllowed) return [];
  return [
    {
      code: "forbidden",
      status: 403,
      message: `Permission 'cloudkms.cryptoKeyVersions.useToEncrypt' denied on resource '${key}' (or it may not exist) for ${agent}`,
      path: ["database_encryption"],
    },
  ];
}

async function describeCluster(
  { id, planned, prior, place }: GcpChange,
  context: HookContext,
  describeApi: DescribeClusterApi | undefined,
): Promise<Record<string, Value>> {
  const name = textOf(planned["name"]);
  const location = textOf(planned["location"]);
  const { region = location, zones = [] } = findLocation(location) ?? {};
  const secret = hash(`${context.tenant} ${id}`);
  const version = chooseVersion(prior, planned);
  const subnet = (await findSubnet(planned, place, context)) ?? {};
  const ranges = listSecondary(subnet);
  const policy = blockOf(planned, "ip_allocation_policy");
  const pods = ranges.get(textOf(policy["cluster_secondary_range_name"])) ?? "10.8.0.0/14";
  const services = ranges.get(textOf(policy["services_secondary_range_name"])) ?? "34.118.224.0/20";
  const address = `10.${Number.parseInt(secret.slice(0, 2), 16)}.0.2`;
  const api =
    textOf(prior["endpoint"]) === ""
      ? await (describeApi?.({ tenant: context.tenant, region, name }) ?? nowhere(secret, context.nowMs))
      : undefined;
  // As in GKE, the endpoint has no scheme. Simulated clusters share a host, so each endpoint contains a path.
  const endpoint = api?.endpoint.replace(/^https:\/\//, "");
  return {
    location,
    node_locations: zones.filter((zone) => zone !== location),
    master_version: version,
    node_version: version,
    datapath_provider: "LEGACY_DATAPATH",
    networking_mode: "VPC_NATIVE",
    logging_service: "logging.googleapis.com/kubernetes",
    monitoring_service: "monitoring.googleapis.com/kubernetes",
    default_max_pods_per_node: 110,
    cluster_ipv4_cidr: pods,
    services_ipv4_cidr: services,
    label_fingerprint: hash(JSON.stringify(planned["resource_labels"] ?? {})).slice(0, 8),
    operation: "",
    tpu_ipv4_cidr_block: "",
    ...(api === undefined || endpoint === undefined
      ? {}
      : {
          endpoint,
          master_auth: [
            { client_certificate: "", client_key: "", cluster_ca_certificate: Buffer.from(api.caPem).toString("base64") },
          ],
        }),
    control_plane_endpoints_config: [
      {
        dns_endpoint_config: [{ endpoint: `gke-${secret.slice(0, 32)}-${projectNumber(place.project)}.${region}.gke.goog` }],
        ip_endpoints_config: [{ enabled: true }],
      },
    ],
    database_encryption: [{ state: "DECRYPTED", key_name: "" }],
    private_cluster_config: [
      {
        peering_name: "",
        private_endpoint: address,
        public_endpoint: endpoint ?? textOf(prior["endpoint"]),
        master_ipv4_cidr_block: "",
      },
    ],
    ip_allocation_policy: [{ cluster_ipv4_cidr_block: pods, services_ipv4_cidr_block: services }],
  };
}

/**
 * Chooses the version of the control plane. An existing control plane moves to the requested version only if its minor version is newer.
 */
function chooseVersion(prior: ValueMap, planned: ValueMap): string {
  const current = textOf(prior["master_version"]);
  const wanted = findVersion(textOf(planned["min_master_version"]));
  if (current !== "") return wanted !== undefined && minorOf(wanted) > minorOf(current) ? wanted : current;
  const channel = textOf(blockOf(planned, "release_channel")["channel"]) || "REGULAR";
  return wanted ?? channelVersions[channel] ?? channelVersions["REGULAR"] ?? "";
}

function nowhere(secret: string, nowMs: number): ClusterApi {
  const octets = [secret.slice(0, 2), secret.slice(2, 4)].map((digits) => Number.parseInt(digits, 16));
  return { endpoint: `https://34.76.${octets.join(".")}`, caPem: createSelfSigned(nowMs).certificatePem };
}
