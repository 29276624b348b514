import type { SimulatedAccount } from "../../cloud/simulated-cloud.ts";
import type { CloudRecord, Inventory } from "../../inventory/inventory.ts";
import { textOf, textsAt } from "../../values/read-value.ts";
import { labelsOf, tagsOf } from "./record-tags.ts";

/**
 * The order of deletion. A forwarding rule comes first, because it uses the address, the backends and the health checks of its load
 * balancer.
 */
const order = [
  "google_compute_forwarding_rule",
  "google_compute_address",
  "google_compute_target_pool",
  "google_compute_region_backend_service",
  "google_compute_health_check",
  "google_compute_http_health_check",
  "google_compute_network_endpoint_group",
  "google_compute_firewall",
  "google_compute_disk",
];

/** Label that GKE sets on the resources of a cluster. */
const clusterLabel = "goog-k8s-cluster-name";

/** Creates functions that list and remove the resources that clusters left behind in a simulated project. */
export function createLeftovers(
  inventory: Inventory,
  tenant: string,
): Pick<SimulatedAccount, "listLeftovers" | "removeLeftover" | "retainVolume"> {
  return {
    async listLeftovers(cluster) {
      const all = await inventory.list(tenant);
      const own = all.filter(
        (record) =>
          order.includes(record.type) && tagsOf(record)["cloudwright:entity"] === undefined && belongsTo(record, cluster),
      );
      return own
        .toSorted((one, other) => order.indexOf(one.type) - order.indexOf(other.type))
        .map(({ type, id }) => ({ type, id }));
    },
    removeLeftover: async (key) => void (await inventory.delete(tenant, key)),
    async retainVolume(id) {
      const volume = await findDisk(inventory, tenant, id);
      if (volume === undefined) return;
      const labels = Object.fromEntries(Object.entries(labelsOf(volume)).filter(([key]) => !key.startsWith("goog-k8s-")));
      await inventory.put(tenant, { ...volume, attributes: { ...volume.attributes, labels, effective_labels: labels } });
    },
  };
}

// GKE labels disks and forwarding rules. The other parts of a load balancer name the cluster in their description. The load balancer's
// firewall rule targets the network tag of the cluster's nodes.
function belongsTo(record: CloudRecord, cluster: string): boolean {
  if (labelsOf(record)[clusterLabel] === cluster) return true;
  // GKE removes its own firewall rules together with the cluster. The firewall rules of Services, which have names starting with `k8s`,
  // remain.
  if (record.type === "google_compute_firewall" && !textOf(record.attributes["name"]).startsWith("k8s")) return false;
  const texts = ["target_tags", "description"].flatMap((name) => textsAt(record.attributes[name] ?? null, ""));
  return texts.some(
    (text) => isNodeTag(text, cluster) || text.includes(`"kubernetes.io/cluster-name":${JSON.stringify(cluster)}`),
  );
}

function isNodeTag(tag: string, cluster: string): boolean {
  return tag.startsWith(`gke-${cluster}-`) && /^[0-9a-f]{8}-node$/.test(tag.slice(`gke-${cluster}-`.length));
}

// Accepts a disk's full id, the end of its id, or its name, because Kubernetes may use any of them.
async function findDisk(inventory: Inventory, tenant: string, id: string): Promise<CloudRecord | undefined> {
  const disks = await inventory.list(tenant, "google_compute_disk");
  return disks.find((disk) => disk.id === id || disk.id.endsWith(`/${id}`) || textOf(disk.attributes["name"]) === id);
}
