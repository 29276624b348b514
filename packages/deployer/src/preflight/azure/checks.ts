import { findParent } from "@cloudwright/contract";
import { azureOf as clusterOf } from "../../kubernetes/azure/azure-of.ts";
import { azureOf } from "../../network/azure/azure-of.ts";
import type { DeployedEntity } from "../../task.ts";
import { createPermissionCheck, createServiceCheck, regionIsOpen } from "../account-checks.ts";
import { createAgentCheck } from "../agent-checks.ts";
import {
  createBucketNameCheck,
  createClusterNameCheck,
  familyQuota,
  machinesAreOffered,
  servicesAreApart,
  vcpuQuota,
  versionIsOffered,
} from "../cluster-checks.ts";
import { findShortage, networkQuota, pluralOf, rangeIsApart, zonesExist } from "../network-checks.ts";
import { imageExists, machineIsOffered } from "../instance-checks.ts";
import type { Check, PreflightChecks } from "../question.ts";

function providersAreRegistered(feature: string): Check {
  return createServiceCheck(feature, (namespaces, subscription) =>
    namespaces.map((name) => `az provider register --namespace ${name} --subscription ${subscription}`).join(" && "),
  );
}

function hasNat({ spec }: DeployedEntity<"Network">): boolean {
  return spec.existing === undefined && !["", "none"].includes(spec.nat);
}

/** Checks the quota for public addresses. A NAT gateway has at least one address. */
const addressQuota: Check<"Network"> = async (question) => {
  const { view, entity, cloud } = question;
  const { natIps, loadBalancerIps } = azureOf(entity.spec);
  const wanted = (hasNat(entity) ? natIps || 1 : 0) + loadBalancerIps;
  if (entity.spec.existing !== undefined || wanted === 0) return [];
  const [{ publicIps: limit }, all] = await Promise.all([view.getLimits(), view.listPublicIps()]);
  const used = all.filter(({ owner }) => owner !== entity.uid).length;
  const field = loadBalancerIps > natIps ? "spec.azure.loadBalancerIps" : natIps > 1 ? "spec.azure.natIps" : "spec.nat";
  return findShortage(question, field, pluralOf(cloud.terms.publicIp), { limit, used, wanted });
};

/** Checks the quota for NAT gateways. A network has one gateway for all its zones, and the quota applies to the region. */
const natQuota: Check<"Network"> = async (question) => {
  const { view, entity, region } = question;
  if (!hasNat(entity)) return [];
  const [{ natGatewaysPerZone: limit }, all] = await Promise.all([view.getLimits(), view.listNatGateways()]);
  const used = all.filter(({ owner }) => owner !== entity.uid).length;
  return findShortage(question, "spec.nat", `NAT gateways in ${region}`, { limit, used, wanted: 1 });
};

/** Checks the quota for application security groups. Every security group is one of them. */
const groupQuota: Check<"SecurityGroup"> = async (question) => {
  const isBuilt = Object.keys(question.around.outputs).length > 0;
  const usage = isBuilt ? undefined : await question.view.findUsage?.("securityGroups");
  return usage === undefined
    ? []
    : findShortage(question, "spec.network", "application security groups", { ...usage, wanted: 1 });
};

/** Checks that an existing virtual network can be found. Ids in Azure are case-insensitive. */
const existingIsThere: Check<"Network"> = async ({ view, entity, region, cloud }) => {
  const { existing } = entity.spec;
  if (existing === undefined) return [];
  const all = await view.listNetworks();
  if (all.some(({ id }) => id.toLowerCase() === existing.id.toLowerCase())) return [];
  const message = `the subscription has no ${cloud.terms.network} ${existing.id} in ${region}`;
  const known = all.map(({ id }) => id).slice(0, 5);
  const help = known.length === 0 ? "Create it first, or choose another region." : `Choose from ${known.join(", ")}.`;
  return [{ field: "spec.existing.id", message, help }];
};

/**
 * Checks that the node subnet has a default route if the cluster uses user-defined routing. In that case, AKS creates neither a load
 * balancer nor a NAT gateway for outgoing traffic, so nodes could not start without the route.
 */
const defaultRouteIsThere: Check<"Cluster"> = async ({ view, entity, around }) => {
  const network = findParent(around, "Network");
  if (clusterOf(entity.spec).outbound !== "user-defined-routing" || network === undefined) return [];
  const { existing } = network.spec;
  const [subnet = ""] = existing?.privateSubnetIds ?? [];
  const hasRoute =
    existing === undefined
      ? azureOf(network.spec).routes.some(({ cidr }) => cidr === "0.0.0.0/0")
      : await view.hasDefaultRoute?.(subnet);
  if (hasRoute !== false) return [];
  const where = existing === undefined ? `the network "${network.name}"` : `the route table of ${subnet}`;
  const message = `user-defined-routing requires a default route, but ${where} has no route for 0.0.0.0/0`;
  const add =
    existing === undefined
      ? "Add a route for 0.0.0.0/0 to spec.azure.routes of the network"
      : "Associate a route table that has a route for 0.0.0.0/0 with the subnet (`az network route-table route create`, `az network vnet subnet update --route-table`)";
  return [{ field: "spec.azure.outbound", message, help: `${add}, or choose nat-gateway or load-balancer.` }];
};

export const azureChecks: PreflightChecks = {
  network: [
    providersAreRegistered("network"),
    createPermissionCheck("network"),
    regionIsOpen,
    zonesExist,
    networkQuota,
    addressQuota,
    natQuota,
    rangeIsApart,
    existingIsThere,
  ],
  cluster: [
    providersAreRegistered("cluster"),
    createPermissionCheck("cluster"),
    regionIsOpen,
    versionIsOffered,
    machinesAreOffered,
    vcpuQuota,
    familyQuota,
    servicesAreApart,
    defaultRouteIsThere,
    createAgentCheck(),
    createClusterNameCheck(({ name, uid }) => `${name.slice(0, 40).replace(/-$/, "")}-${endOf(uid, 8)}`),
  ],
  storage: [
    providersAreRegistered("storage"),
    createPermissionCheck("storage"),
    regionIsOpen,
    createBucketNameCheck(({ name, uid }) => `${name.replaceAll("-", "").slice(0, 12)}${endOf(uid, 12)}`),
  ],
  instance: [providersAreRegistered("instance"), createPermissionCheck("instance"), regionIsOpen, machineIsOffered, imageExists],
  securitygroup: [providersAreRegistered("securitygroup"), createPermissionCheck("securitygroup"), regionIsOpen, groupQuota],
  volume: [providersAreRegistered("volume"), createPermissionCheck("volume"), regionIsOpen],
};

/** Returns the last `count` characters of a uid. The names above must match those that the configurations in `infra/` build. */
function endOf(uid: string, count: number): string {
  return uid.replaceAll("-", "").slice(-count);
}
