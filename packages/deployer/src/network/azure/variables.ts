import type {
  AzureNetwork,
  AzureRoute,
  AzureSecurityRule,
  ExistingNetwork,
} from "@cloudwright/contract/gen/cloudwright/v1/network_pb.ts";
import { Fault } from "@cloudwright/platform";
import { deployerFaults } from "../../faults.ts";
import { renderTags } from "../../render-tags.ts";
import type { DeployedEntity, Json, JsonObject } from "../../task.ts";
import { azureOf } from "./azure-of.ts";
import { renderLater } from "./later-variables.ts";
import { findPlace, getRegion } from "./place.ts";

type Network = DeployedEntity<"Network">;

/** Renders the Terraform variables for network/azure. `outputs` comes from the last apply. */
export function renderVariables(entity: Network, version: string, outputs: JsonObject): Readonly<Record<string, Json>> {
  const { name, project, uid, spec } = entity;
  return {
    name,
    region: getRegion(entity),
    ...(spec.existing === undefined
      ? { ...renderNew(entity), ...renderLater(entity, version, outputs) }
      : renderExisting(entity, spec.existing)),
    owner: { project, entity: uid },
    tags: renderTags("azure", entity),
  };
}

function renderNew(entity: Network): JsonObject {
  const { cidr, zones, ranges, region } = findPlace(entity);
  const azure = azureOf(entity.spec);
  const nat = entity.spec.nat || "none";
  if (nat === "per-zone" && zones.length === 0)
    throw new Fault(
      deployerFaults.bad_spec,
      `spec.nat of ${entity.name} is per-zone, but the region ${region} has no zones; use single`,
    );
  if (azure.natIps > 0 && nat === "none")
    throw new Fault(
      deployerFaults.bad_spec,
      `spec.azure.natIps of ${entity.name} requires a NAT gateway; set spec.nat to single`,
    );
  return {
    resource_group_name: azure.resourceGroup || null,
    cidr_range: cidr,
    zones: zones.length === 0 ? null : [...zones],
    node_subnet_cidr: ranges.nodes ?? null,
    pod_subnet: ranges.pods !== undefined,
    pod_subnet_cidr: ranges.pods ?? null,
    api_server_subnet: ranges["api-server"] !== undefined,
    api_server_subnet_cidr: ranges["api-server"] ?? null,
    nat,
    nat_ips: azure.natIps || 1,
    load_balancer_ips: azure.loadBalancerIps,
    private_dns: azure.privateDns,
    service_endpoints: azure.serviceEndpoints,
    security_rules: renderRules(entity, azure),
    routes: renderRoutes(entity, azure),
  };
}

const reservedNames = ["deny-management", "load-balancers"];
const firstReservedPriority = 4095;

function renderRules({ name: network }: Network, { securityRules }: AzureNetwork): JsonObject[] {
  const seen = new Set<string>();
  return securityRules.map((rule: AzureSecurityRule, index) => {
    const at = `spec.azure.securityRules[${index}]`;
    const { name, priority, direction, action, protocol, fromPort, toPort, cidr } = rule;
    if (reservedNames.includes(name.toLowerCase()))
      throw new Fault(deployerFaults.bad_spec, `${at}.name of ${network} is ${name}, which is reserved`);
    if (direction === "in" && priority >= firstReservedPriority)
      throw new Fault(
        deployerFaults.bad_spec,
        `${at}.priority of ${network} is ${priority}; incoming rules must be below ${firstReservedPriority}`,
      );
    // Names in Azure are case-insensitive.
    for (const [field, key] of [
      ["name", name.toLowerCase()],
      ["priority", `${direction} ${priority}`],
    ] as const) {
      if (seen.has(key)) throw new Fault(deployerFaults.bad_spec, `${at}.${field} of ${network} is used twice: ${key}`);
      seen.add(key);
    }
    const ports = { from_port: fromPort, to_port: toPort };
    return { name, priority, direction, action, protocol: protocol || "all", ...ports, cidr };
  });
}

function renderRoutes({ name: network }: Network, { routes }: AzureNetwork): JsonObject[] {
  const seen = new Set<string>();
  return routes.map(({ name, cidr, nextHop, nextHopIp }: AzureRoute, index) => {
    for (const [field, key] of [
      ["name", name.toLowerCase()],
      ["cidr", cidr],
    ] as const) {
      if (seen.has(key))
        throw new Fault(deployerFaults.bad_spec, `spec.azure.routes[${index}].${field} of ${network} is used twice: ${key}`);
      seen.add(key);
    }
    return { name, cidr, next_hop: nextHop, next_hop_ip: nextHopIp || null };
  });
}

const vnetId =
  /^\/subscriptions\/[0-9a-fA-F-]{36}\/resourceGroups\/[^/]{1,90}\/providers\/Microsoft\.Network\/virtualNetworks\/[^/]{1,64}$/;

function renderExisting({ name, spec }: Network, existing: ExistingNetwork): JsonObject {
  const { id } = existing;
  if (!vnetId.test(id)) {
    const form = "/subscriptions/<id>/resourceGroups/<name>/providers/Microsoft.Network/virtualNetworks/<name>";
    throw new Fault(deployerFaults.bad_spec, `spec.existing.id of ${name} is "${id}"; use the id of a virtual network: ${form}`);
  }
  if (existing.publicSubnetIds.length > 0)
    throw new Fault(
      deployerFaults.bad_spec,
      `spec.existing.publicSubnetIds of ${name} is set, but load balancers in Azure do not need a subnet; remove the ids`,
    );
  const getOne = (field: "privateSubnetIds" | "controlPlaneSubnetIds", isRequired: boolean): string | null => {
    const [first, ...others] = existing[field];
    if (others.length > 0 || (isRequired && first === undefined))
      throw new Fault(deployerFaults.bad_spec, `spec.existing.${field} of ${name} must contain the id of one subnet`);
    return first === undefined ? null : checkSubnet(`spec.existing.${field}`, first);
  };
  const checkSubnet = (field: string, subnet: string): string => {
    if (subnet.toLowerCase().startsWith(`${id.toLowerCase()}/subnets/`)) return subnet;
    throw new Fault(deployerFaults.bad_spec, `${field} of ${name} contains "${subnet}"; use the id of a subnet in ${id}`);
  };
  const pods = azureOf(spec).existingPodSubnetId;
  return {
    vnet_id: id,
    node_subnet_id: getOne("privateSubnetIds", true),
    pod_subnet_id: pods === "" ? null : checkSubnet("spec.azure.existingPodSubnetId", pods),
    api_server_subnet_id: getOne("controlPlaneSubnetIds", false),
  };
}
