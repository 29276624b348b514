import type { ClusterCloud, ClusterOwner } from "../../cloud/managed-kubernetes.ts";
import type { CloudRecord, Inventory, RecordKey } from "../../inventory/inventory.ts";
import { textOf } from "../../values/read-value.ts";
import type { ValueMap } from "../../values/value.ts";
import { hash } from "../place.ts";
import { regionOf } from "./list-clusters.ts";

/** Labels that GKE sets on the resources of a cluster. */
const labelsOf = (name: string, region: string): ValueMap => ({
  "goog-k8s-cluster-name": name,
  "goog-k8s-cluster-location": region,
});

interface OpenCluster extends ClusterOwner {
  readonly project: string;
  readonly region: string;
  readonly network: string;
  readonly labels: ValueMap;
}

/**
 * Creates a `ClusterCloud` that records forwarding rules, target pools, firewall rules and disks in the inventory, with the names and
 * labels that GKE uses. The resources outlive the cluster.
 */
export function createGkeCloud(
  { inventory }: { readonly inventory: Inventory },
  findOwner: (cluster: string) => Promise<ClusterOwner>,
): ClusterCloud {
  async function open(cluster: string): Promise<OpenCluster> {
    const { tenant, name } = await findOwner(cluster);
    const record = (await inventory.list(tenant, "google_container_cluster")).find(
      ({ attributes }) => attributes["name"] === name,
    );
    const region = record === undefined ? "" : regionOf(record.attributes);
    const project = record?.id.split("/")[1] ?? "simulated";
    const network = textOf(record?.attributes["network"]);
    return { tenant, name, project, region, network, labels: labelsOf(name, region) };
  }

  return {
    async createLoadBalancer(cluster, { uid }) {
      const opened = await open(cluster);
      const ip = addressOf(uid);
      for (const record of describeBalancer(uid, ip, opened)) await inventory.put(opened.tenant, record);
      return { ip };
    },
    async deleteLoadBalancer(cluster, uid) {
      const { tenant } = await findOwner(cluster);
      // Searches by name, because the cluster record that contains the region may already have been deleted.
      for (const type of balancerTypes) {
        const own = (await inventory.list(tenant, type)).filter(({ attributes }) => isOfBalancer(attributes, uid));
        for (const { id } of own) await inventory.delete(tenant, { type, id });
      }
    },
    async createVolume(cluster, { uid, namespace, name, sizeGiB, zone, parameters }) {
      const { tenant, project, region, labels } = await open(cluster);
      const place = zone ?? `${region}-b`;
      const disk = `pvc-${uid}`;
      const id = `projects/${project}/zones/${place}/disks/${disk}`;
      const attributes = {
        id,
        name: disk,
        project,
        zone: place,
        size: sizeGiB,
        type: parameters["type"] ?? "pd-balanced",
        labels,
        effective_labels: labels,
        description: JSON.stringify({
          "kubernetes.io/created-for/pv/name": disk,
          "kubernetes.io/created-for/pvc/name": name,
          "kubernetes.io/created-for/pvc/namespace": namespace,
          "storage.gke.io/created-by": "pd.csi.storage.gke.io",
        }),
      };
      await inventory.create(tenant, { type: "google_compute_disk", id, attributes });
      return { volumeId: id };
    },
    async resizeVolume(cluster, volumeId, sizeGiB) {
      const { tenant } = await findOwner(cluster);
      const record = await inventory.find(tenant, diskKey(volumeId));
      if (record !== undefined) await inventory.put(tenant, { ...record, attributes: { ...record.attributes, size: sizeGiB } });
    },
    async deleteVolume(cluster, volumeId) {
      const { tenant } = await findOwner(cluster);
      await inventory.delete(tenant, diskKey(volumeId));
    },
  };
}

const balancerTypes = ["google_compute_forwarding_rule", "google_compute_target_pool", "google_compute_firewall"] as const;

/**
 * Returns the records of an external passthrough load balancer: a forwarding rule, a target pool with the nodes, and a firewall rule that
 * allows its traffic.
 */
function describeBalancer(uid: string, ip: string, { name, project, region, network, labels }: OpenCluster): CloudRecord[] {
  const balancer = nameBalancer(uid);
  const common = { project, name: balancer, description: JSON.stringify({ "kubernetes.io/cluster-name": name }) };
  const regional = `projects/${project}/regions/${region}`;
  const target = `${regional}/targetPools/${balancer}`;
  const rule = `${regional}/forwardingRules/${balancer}`;
  const firewall = `projects/${project}/global/firewalls/k8s-fw-${balancer}`;
  // GKE sets this network tag on all nodes of a cluster.
  const tags = [`gke-${name}-${hash(name).slice(0, 8)}-node`];
  return [
    {
      type: "google_compute_forwarding_rule",
      id: rule,
      attributes: { ...common, id: rule, region, ip_address: ip, load_balancing_scheme: "EXTERNAL", target, labels },
    },
    { type: "google_compute_target_pool", id: target, attributes: { ...common, id: target, region, instances: [] } },
    {
      type: "google_compute_firewall",
      id: firewall,
      attributes: { ...common, id: firewall, name: `k8s-fw-${balancer}`, network, direction: "INGRESS", target_tags: tags },
    },
  ];
}

function isOfBalancer({ name }: ValueMap, uid: string): boolean {
  return [nameBalancer(uid), `k8s-fw-${nameBalancer(uid)}`].includes(textOf(name));
}

function nameBalancer(uid: string): string {
  return `a${uid.replaceAll("-", "")}`.slice(0, 32);
}

function addressOf(uid: string): string {
  const octets = [0, 2].map((at) => Number.parseInt(hash(uid).slice(at, at + 2), 16));
  return `34.140.${octets.join(".")}`;
}

function diskKey(id: string): RecordKey {
  return { type: "google_compute_disk", id };
}
