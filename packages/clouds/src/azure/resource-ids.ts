/** Terraform resource types, keyed by Azure's type in lower case. `path` is Azure's type in the spelling that Terraform expects. */
const types: Readonly<Record<string, { readonly type: string; readonly path: string }>> = Object.fromEntries(
  (
    [
      ["azurerm_virtual_network", "Microsoft.Network/virtualNetworks"],
      ["azurerm_network_security_group", "Microsoft.Network/networkSecurityGroups"],
      ["azurerm_application_security_group", "Microsoft.Network/applicationSecurityGroups"],
      ["azurerm_route_table", "Microsoft.Network/routeTables"],
      ["azurerm_nat_gateway", "Microsoft.Network/natGateways"],
      ["azurerm_public_ip", "Microsoft.Network/publicIPAddresses"],
      ["azurerm_private_dns_zone", "Microsoft.Network/privateDnsZones"],
      ["azurerm_private_dns_zone_virtual_network_link", "Microsoft.Network/privateDnsZones/virtualNetworkLinks"],
      ["azurerm_lb", "Microsoft.Network/loadBalancers"],
      ["azurerm_kubernetes_cluster", "Microsoft.ContainerService/managedClusters"],
      ["azurerm_user_assigned_identity", "Microsoft.ManagedIdentity/userAssignedIdentities"],
      ["azurerm_key_vault", "Microsoft.KeyVault/vaults"],
      ["azurerm_network_interface", "Microsoft.Network/networkInterfaces"],
      ["azurerm_linux_virtual_machine", "Microsoft.Compute/virtualMachines"],
      ["azurerm_managed_disk", "Microsoft.Compute/disks"],
      ["azurerm_snapshot", "Microsoft.Compute/snapshots"],
      ["azurerm_disk_encryption_set", "Microsoft.Compute/diskEncryptionSets"],
      ["azurerm_storage_account", "Microsoft.Storage/storageAccounts"],
      ["azurerm_log_analytics_workspace", "Microsoft.OperationalInsights/workspaces"],
    ] as const
  ).map(([type, path]) => [path.toLowerCase(), { type, path }]),
);

/** A resource with its id in Terraform's spelling. */
export interface KnownResource {
  readonly type: string;
  readonly id: string;
}

/** Returns the Terraform type and id of a resource, or undefined if the platform does not create that type. */
export function readResource(azureType: string, id: string): KnownResource | undefined {
  const found = types[azureType.toLowerCase()];
  return found === undefined ? undefined : { type: found.type, id: spell(id, found.path) };
}

/** Azure ignores the case of ids and returns them in different spellings. Terraform accepts only one spelling. */
function spell(id: string, path: string): string {
  const [namespace = "", ...kinds] = path.split("/");
  const [head = "", tail = ""] = splitOnce(spellGroup(id), /\/providers\//i);
  const names = tail.split("/").filter((_part, index) => index > 0 && index % 2 === 0);
  return `${head}/providers/${namespace}${kinds.map((kind, index) => `/${kind}/${names[index] ?? ""}`).join("")}`;
}

/** Normalises the case of the parts of an id that precede the provider. */
export function spellGroup(id: string): string {
  return id.replace(/^\/subscriptions\//i, "/subscriptions/").replace(/\/resourcegroups\//i, "/resourceGroups/");
}

/** Returns the resource group in an id, in lower case. Empty if the id has none. */
export function groupOf(id: string): string {
  return /\/resourcegroups\/([^/]+)/i.exec(id)?.[1]?.toLowerCase() ?? "";
}

/** Returns the last part of an id: the resource's name. */
export function nameOf(id: string): string {
  return id.split("/").at(-1) ?? "";
}

function splitOnce(text: string, separator: RegExp): readonly string[] {
  const match = separator.exec(text);
  return match === null ? [text] : [text.slice(0, match.index), text.slice(match.index + match[0].length)];
}
