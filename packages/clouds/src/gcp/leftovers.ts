import { readTags } from "@cloudwright/contract/clouds/gcp/descriptions";
import { Fault } from "@cloudwright/platform";
import { ownerTag } from "../account-view.ts";
import type { ClusterLeftovers, Leftover } from "../cloud-provider.ts";
import { cloudsFaults } from "../faults.ts";
import { listItems } from "./account-view.ts";
import type { GcpApi } from "./api.ts";
import type { Address, Disk, Firewall, Operation, ZoneSetLabelsRequest } from "./models.ts";
import { lastPart, toResourceId } from "./resource-names.ts";

/** Finds and removes the load balancers, firewall rules, addresses and disks that clusters created. */
export function createGcpLeftovers(api: GcpApi): ClusterLeftovers {
  return {
    list: async (cluster) => [...(await listLoadBalancers(api, cluster)), ...(await listDisks(api, cluster))],
    remove: ({ id }) => remove(api, id),
    async retain(volumeId) {
      const path = toResourceId(volumeId);
      const disk = await api.find<Disk>(`find the disk ${path}`, { service: "compute", path });
      if (disk === undefined) return;
      const labels = Object.fromEntries(Object.entries(disk.labels ?? {}).filter(([key]) => !key.startsWith("goog-k8s-")));
      if (Object.keys(labels).length === Object.keys(disk.labels ?? {}).length) return;
      const { labelFingerprint = "" } = disk;
      const body: ZoneSetLabelsRequest = { labels, labelFingerprint };
      await finish(api, `detach ${path} from its cluster`, { method: "POST", path: `${path}/setLabels`, body });
    },
  };
}

interface LoadBalancerPart {
  readonly name?: string;
  readonly selfLink?: string;
  readonly description?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

/** Parts of a load balancer in the order in which they can be removed. */
const parts: readonly (readonly [type: string, collection: string])[] = [
  ["google_compute_forwarding_rule", "regions/REGION/forwardingRules"],
  ["google_compute_global_forwarding_rule", "global/forwardingRules"],
  ["google_compute_address", "regions/REGION/addresses"],
  ["google_compute_target_pool", "regions/REGION/targetPools"],
  ["google_compute_region_backend_service", "regions/REGION/backendServices"],
  ["google_compute_backend_service", "global/backendServices"],
  ["google_compute_health_check", "global/healthChecks"],
  ["google_compute_http_health_check", "global/httpHealthChecks"],
];

const clusterLabel = "goog-k8s-cluster-name";

/**
 * GKE gives all parts of a Service's load balancer the same name, such as `a1b2...`, and names its firewall rule `k8s-fw-a1b2...`. The rule
 * applies to the nodes' network tag, which contains the cluster's name. Newer parts also have a label with the cluster's name.
 */
async function listLoadBalancers(api: GcpApi, cluster: string): Promise<Leftover[]> {
  const nodes = new RegExp(`^gke-${escapePattern(cluster.slice(0, 20))}[a-z0-9-]*-[0-9a-f]{8}-node$`);
  const rules = (await listItems<Firewall>(api, "list the firewall rules", "global/firewalls")).filter(
    ({ name = "", targetTags = [], ...rule }) =>
      name.startsWith("k8s") && targetTags.some((tag) => isTagOf(tag, cluster, nodes)) && isFree(rule),
  );
  const names = new Set(rules.map(({ name = "" }) => name.replace(/^k8s-fw-(l7--)?/, "").replace(/-http-hc$/, "")));
  const belongs = ({ name = "", labels, description, ...rest }: LoadBalancerPart & Address): boolean =>
    (labels?.[clusterLabel] === cluster || names.has(name)) &&
    isFree({ ...(labels === undefined ? {} : { labels }), ...(description === undefined ? {} : { description }) }) &&
    // Excludes addresses that users reserved themselves. GKE marks its own addresses in their description.
    (rest.addressType === undefined || /kubernetes\.io|ingress\.gcp/.test(description ?? ""));
  const found: Leftover[] = [];
  for (const [type, collection] of parts) {
    const items = await listItems<LoadBalancerPart>(
      api,
      `list ${lastPart(collection)}`,
      collection.replace("REGION", api.region),
    );
    found.push(...items.filter(belongs).map(({ selfLink }) => ({ type, id: toResourceId(selfLink) })));
  }
  return [...found, ...rules.map(({ selfLink }) => ({ type: "google_compute_firewall", id: toResourceId(selfLink) }))];
}

// GKE shortens long cluster names in network tags.
function isTagOf(tag: string, cluster: string, pattern: RegExp): boolean {
  return tag.startsWith(`gke-${cluster}-`)
    ? /^[0-9a-f]{8}-node$/.test(tag.slice(cluster.length + 5))
    : cluster.length > 20 && pattern.test(tag);
}

async function listDisks(api: GcpApi, cluster: string): Promise<Leftover[]> {
  const path = `projects/${await api.getProject()}/aggregated/disks`;
  const pages = await api.listPages<{ readonly items?: Readonly<Record<string, { readonly disks?: readonly Disk[] }>> }>(
    "list the disks",
    { service: "compute", path, query: { filter: `labels.${clusterLabel} = "${cluster}"` } },
  );
  const disks = pages.flatMap(({ items = {} }) => Object.values(items).flatMap(({ disks: some = [] }) => some));
  // The boot disks of nodes also carry the cluster's label, but they are deleted with their nodes.
  return disks
    .filter((disk) => disk.labels?.[clusterLabel] === cluster && isFree(disk) && isVolume(disk))
    .map(({ selfLink, zone }) => ({
      type: zone === undefined ? "google_compute_region_disk" : "google_compute_disk",
      id: toResourceId(selfLink),
    }));
}

function isVolume({ name = "", description = "", labels = {} }: Disk): boolean {
  return (
    labels["goog-k8s-node-pool-name"] === undefined &&
    (name.startsWith("pvc-") || description.includes("kubernetes.io/created-for"))
  );
}

// Returns whether no entity owns a resource. Terraform deletes the resources that an entity owns.
function isFree(resource: { readonly labels?: Readonly<Record<string, string>>; readonly description?: string }): boolean {
  return readTags(resource)[ownerTag] === undefined;
}

function escapePattern(text: string): string {
  return text.replaceAll(/[^a-z0-9-]/g, "");
}

async function remove(api: GcpApi, id: string): Promise<void> {
  if (!/^projects\/[^/]+\/(global|regions\/[^/]+|zones\/[^/]+)\/[A-Za-z]+\/[^/]+$/.test(id))
    throw new Error(`${id} is not a Compute Engine resource`);
  await finish(api, `remove ${id}`, { method: "DELETE", path: id });
}

/** Sends a call and waits until its operation is done. Does nothing if the resource does not exist. */
async function finish(
  api: GcpApi,
  doing: string,
  call: { readonly method: "POST" | "DELETE"; readonly path: string; readonly body?: object },
): Promise<void> {
  let operation = await api.find<Operation>(doing, { service: "compute", ...call });
  for (let turn = 0; operation !== undefined && operation.status !== "DONE" && turn < mostTurns; turn += 1) {
    const path = `${toResourceId(operation.selfLink)}/wait`;
    operation = await api.find<Operation>(doing, { service: "compute", method: "POST", path });
  }
  const [problem] = operation?.error?.errors ?? [];
  if (problem === undefined || problem.code === "RESOURCE_NOT_FOUND") return;
  throw new Fault(cloudsFaults.failed, `Google Cloud could not ${doing}: ${problem.code}: ${problem.message}`);
}

/** Maximum number of calls that wait for an operation. Each call waits for up to two minutes. */
const mostTurns = 5;
