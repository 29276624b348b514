import type { ClusterCloud, ClusterOwner } from "../../cloud/managed-kubernetes.ts";
import type { Inventory } from "../../inventory/inventory.ts";
import { textOf, textsAt } from "../../values/read-value.ts";
import type { ValueMap } from "../../values/value.ts";
import { privateAddress } from "../ec2/vpc.ts";
import { arnOf, hash, placeOf, type Place } from "../place.ts";
import { listBalancerSubnets } from "./list-clusters.ts";

/**
 * Creates a `ClusterCloud` that records the resources in the inventory, with the tags that real controllers set. The resources outlive the
 * cluster.
 */
export function createEksCloud(
  { inventory }: { readonly inventory: Inventory },
  findOwner: (cluster: string) => Promise<ClusterOwner>,
): ClusterCloud {
  async function open(cluster: string): Promise<ClusterOwner & { readonly place: Place; readonly tags: ValueMap }> {
    const { tenant, name } = await findOwner(cluster);
    const record = await inventory.find(tenant, { type: "aws_eks_cluster", id: name });
    const place = placeOf({ tenant, provider: {} }, record?.attributes ?? {});
    return { tenant, name, place, tags: { [`kubernetes.io/cluster/${name}`]: "owned" } };
  }

  return {
    async createLoadBalancer(cluster, { uid }) {
      const { tenant, name, place, tags } = await open(cluster);
      const balancer = describeBalancer(uid, place);
      const subnets = await listBalancerSubnets(inventory, tenant, name);
      const region = place.region;
      const vpc = textOf(subnets[0]?.attributes["vpc_id"]);
      const attributes = { ...balancer, region, vpc_id: vpc, subnets: subnets.map(({ id }) => id), tags, tags_all: tags };
      await inventory.put(tenant, { type: "aws_lb", id: balancer.id, attributes });
      for (const subnet of subnets) {
        const id = interfaceOf(uid, subnet.id);
        const ip = privateAddress(subnet.attributes, id);
        const facts = {
          id,
          region,
          subnet_id: subnet.id,
          private_ip: ip,
          interface_type: "network_load_balancer",
          tags,
          tags_all: tags,
        };
        await inventory.put(tenant, { type: "aws_network_interface", id, attributes: facts });
      }
      return { hostname: balancer.dns_name };
    },
    async deleteLoadBalancer(cluster, uid) {
      const { tenant } = await findOwner(cluster);
      // Searches by name, because the cluster record that contains the region may already have been deleted.
      const all = await inventory.list(tenant, "aws_lb");
      for (const { id, attributes } of all.filter((record) => record.attributes["name"] === nameBalancer(uid))) {
        for (const subnet of textsAt(attributes, "subnets")) {
          await inventory.delete(tenant, { type: "aws_network_interface", id: interfaceOf(uid, subnet) });
        }
        await inventory.delete(tenant, { type: "aws_lb", id });
      }
    },
    async createVolume(cluster, { uid, namespace, name, sizeGiB, zone, parameters }) {
      const { tenant, place, tags } = await open(cluster);
      const id = `vol-${hash(`volume ${uid}`).slice(0, 17)}`;
      const claim = { "kubernetes.io/created-for/pvc/namespace": namespace, "kubernetes.io/created-for/pvc/name": name };
      const all = { ...tags, ...claim };
      const attributes = {
        id,
        arn: arnOf(place, "ec2", `volume/${id}`),
        region: place.region,
        availability_zone: zone ?? `${place.region}a`,
        size: sizeGiB,
        type: parameters["type"] ?? "gp3",
        encrypted: parameters["encrypted"] === "true",
        tags: all,
        tags_all: all,
      };
      await inventory.create(tenant, { type: "aws_ebs_volume", id, attributes });
      return { volumeId: id };
    },
    async resizeVolume(cluster, volumeId, sizeGiB) {
      const { tenant } = await findOwner(cluster);
      const record = await inventory.find(tenant, { type: "aws_ebs_volume", id: volumeId });
      if (record !== undefined) await inventory.put(tenant, { ...record, attributes: { ...record.attributes, size: sizeGiB } });
    },
    async deleteVolume(cluster, volumeId) {
      const { tenant } = await findOwner(cluster);
      await inventory.delete(tenant, { type: "aws_ebs_volume", id: volumeId });
    },
  };
}

function describeBalancer(
  uid: string,
  place: Place,
): { id: string; arn: string; name: string; dns_name: string; load_balancer_type: string } {
  const name = nameBalancer(uid);
  const id = arnOf(place, "elasticloadbalancing", `loadbalancer/net/${name}/${hash(uid).slice(0, 16)}`);
  return {
    id,
    arn: id,
    name,
    dns_name: `${name}-${hash(uid).slice(0, 16)}.elb.${place.region}.${place.suffix}`,
    load_balancer_type: "network",
  };
}

function nameBalancer(uid: string): string {
  return `a${uid.replaceAll("-", "")}`.slice(0, 32);
}

function interfaceOf(uid: string, subnet: string): string {
  return `eni-${hash(`${uid} ${subnet}`).slice(0, 17)}`;
}
