import type { DeployedEntity } from "../../task.ts";
import { azureOf } from "./azure-of.ts";

const child = /^(.+)\/(subnets|securityRules|routes)\/([^/]+)$/;
const roles = new Set(["nodes", "pods", "api-server"]);
const ownRules = new Set(["deny-management", "load-balancers"]);

/**
 * Returns the Terraform address of a resource that cannot have tags. The id of such a resource, or one of its names, refers to a tagged
 * resource of the network, from which the address is derived. Returns undefined for subnets, rules and routes that others added to the
 * network.
 */
export function findUntagged(
  { type, names }: { readonly type: string; readonly names: readonly string[] },
  tagged: ReadonlyMap<string, string>,
  { spec }: DeployedEntity<"Network">,
): string | undefined {
  const address = (name: string, key: string): string => `${type}.${name}[${JSON.stringify(key)}]`;
  const findTagged = (owner: string): string | undefined =>
    names.map((id) => tagged.get(id)).find((found) => found?.startsWith(`${owner}.`));
  const findChild = (owner: string): string | undefined => {
    for (const name of names) {
      const [, parent = "", , own] = child.exec(name) ?? [];
      if (own !== undefined && tagged.get(parent)?.startsWith(`${owner}.`) === true) return own;
    }
    return undefined;
  };
  const findRole = (): string | undefined => names.map((name) => child.exec(name)?.[3] ?? "").find((role) => roles.has(role));
  const { securityRules, routes } = azureOf(spec);
  switch (type) {
    case "azurerm_subnet": {
      const role = findChild("azurerm_virtual_network");
      return role !== undefined && roles.has(role) ? address("this", role) : undefined;
    }
    case "azurerm_network_security_rule": {
      const rule = findChild("azurerm_network_security_group");
      const isOurs = rule !== undefined && (ownRules.has(rule) || securityRules.some(({ name }) => name === rule));
      return isOurs ? address("nodes", rule) : undefined;
    }
    case "azurerm_route": {
      const route = findChild("azurerm_route_table");
      return route !== undefined && routes.some(({ name }) => name === route) ? address("nodes", route) : undefined;
    }
    case "azurerm_nat_gateway_public_ip_association":
      return findTagged("azurerm_public_ip")?.replace("azurerm_public_ip", type);
    case "azurerm_subnet_nat_gateway_association":
    case "azurerm_subnet_network_security_group_association":
    case "azurerm_subnet_route_table_association": {
      const role = findRole();
      return role === undefined ? undefined : address("this", role);
    }
    default:
      return undefined;
  }
}
