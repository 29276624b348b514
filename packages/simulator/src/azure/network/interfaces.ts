import { createHash } from "node:crypto";
import type { HookContext } from "../../provider/definition.ts";
import { textOf, textsAt, mapOf } from "../../values/read-value.ts";
import { isList, type Value } from "../../values/value.ts";
import { addressIn } from "../aks/list-clusters.ts";
import { checkName, missingReference } from "../names.ts";
import type { Refusal } from "../refusal.ts";
import { inGroup, type AzureChange, type AzureResource } from "../resource.ts";

const networkInterface: AzureResource = {
  noun: "Network Interface",
  path: `${inGroup}/Microsoft.Network/networkInterfaces/{name}`,
  forceNew: ["edge_zone"],
  defaults: {
    accelerated_networking_enabled: false,
    ip_forwarding_enabled: false,
    "ip_configuration.private_ip_address_version": "IPv4",
  },
  names: [
    { path: "ip_configuration.subnet_id", to: ["azurerm_subnet"], missing: missingReference, tie: "holds" },
    { path: "ip_configuration.public_ip_address_id", to: ["azurerm_public_ip"], missing: missingReference, tie: "holds" },
    // Only the API sets these attributes. Terraform has separate types for the associations.
    { path: "api_security_group_id", to: ["azurerm_network_security_group"], tie: "holds" },
    { path: "api_application_group_ids", to: ["azurerm_application_security_group"], tie: "holds" },
  ],
  takes: { create: 3, update: 2, delete: 3 },
  held: (id, holder) => ({
    code: "NicInUse",
    message: `Network Interface ${id} is used by existing resource ${holder.id}. In order to delete the network interface, it must be dissociated from the resource.`,
  }),
  check: (change, context) => (change.operation === "delete" ? [] : checkInterface(change, context)),
  compute: (change, context) => describeInterface(change, context),
  read: async ({ id, attributes }, context) => ({ ...attributes, virtual_machine_id: (await findMachine(id, context)) ?? "" }),
};

async function checkInterface({ id, planned }: AzureChange, context: HookContext): Promise<readonly Refusal[]> {
  const wrong = checkName(planned, 80);
  if (wrong.length > 0) return wrong;
  const [address] = textsAt(planned, "ip_configuration.public_ip_address_id");
  if (address === undefined) return [];
  const other = (await context.list("azurerm_network_interface")).find(
    (each) =>
      each.id !== id &&
      textsAt(each.attributes, "ip_configuration.public_ip_address_id").some(
        (one) => one.toLowerCase() === address.toLowerCase(),
      ),
  );
  if (other === undefined) return [];
  const message = `Resource ${id} is referencing public IP address ${address} that is already allocated to resource ${other.id}.`;
  return [{ code: "PublicIPAddressInUse", message }];
}

async function describeInterface({ id, planned }: AzureChange, context: HookContext): Promise<Record<string, Value>> {
  const configurations = isList(planned["ip_configuration"]) ? planned["ip_configuration"].map(mapOf) : [];
  const subnets = await context.list("azurerm_subnet");
  const addresses = configurations.map((each, index) => {
    const subnet = subnets.find((one) => one.id.toLowerCase() === textOf(each["subnet_id"]).toLowerCase());
    const prefix = textsAt(subnet?.attributes, "address_prefixes")[0] ?? "10.0.0.0/24";
    return textOf(each["private_ip_address"]) || addressIn(prefix, `${id} ${index}`);
  });
  const digits = createHash("sha256").update(id.toLowerCase()).digest("hex").slice(0, 6).toUpperCase();
  return {
    private_ip_address: addresses[0] ?? "",
    private_ip_addresses: addresses,
    mac_address: `00-0D-3A-${(digits.match(/../g) ?? []).join("-")}`,
    applied_dns_servers: [],
    internal_domain_name_suffix: "internal.cloudapp.net",
    virtual_machine_id: "",
    ip_configuration: addresses.map((address, index) => ({ private_ip_address: address, primary: index === 0 })),
  };
}

async function findMachine(id: string, context: HookContext): Promise<string | undefined> {
  const isUsed = (used: string): boolean => used.toLowerCase() === id.toLowerCase();
  return (await context.list("azurerm_linux_virtual_machine")).find(({ attributes }) =>
    textsAt(attributes, "network_interface_ids").some(isUsed),
  )?.id;
}

/** The network interface resource type. */
export const interfaces = { azurerm_network_interface: networkInterface } as const;
