import { textOf } from "../../values/read-value.ts";
import { missingReference } from "../names.ts";
import { inGroup, type AzureResource } from "../resource.ts";

const zone: AzureResource = {
  noun: "Private DNS Zone",
  path: `${inGroup}/Microsoft.Network/privateDnsZones/{name}`,
  takes: { create: 30, update: 15, delete: 15 },
  held: (id, holder) => ({
    code: "CannotDeleteResource",
    message: `Can not delete resource '${id}' because it has nested resources of type 'virtualNetworkLinks': ${holder.id}. Please delete all nested resources before deleting this resource.`,
    status: 409,
  }),
  check: ({ operation, planned }) => {
    const name = textOf(planned["name"]);
    const isName =
      name.length <= 253 && /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)+$/i.test(name);
    if (operation === "delete" || isName) return [];
    return [{ code: "BadRequest", message: `The zone name '${name}' is invalid.`, path: ["name"] }];
  },
  compute: () => ({
    max_number_of_record_sets: 25_000,
    max_number_of_virtual_network_links: 1000,
    max_number_of_virtual_network_links_with_registration: 100,
    number_of_record_sets: 1,
  }),
};

const link: AzureResource = {
  noun: "Virtual Network Link",
  path: "{private_dns_zone_id}/virtualNetworkLinks/{name}",
  forceNew: ["virtual_network_id"],
  defaults: { registration_enabled: false },
  takes: { create: 30, update: 15, delete: 15 },
  names: [
    { path: "private_dns_zone_id", to: ["azurerm_private_dns_zone"], missing: missingReference, tie: "holds" },
    { path: "virtual_network_id", to: ["azurerm_virtual_network"], missing: missingReference, tie: "none" },
  ],
  check: async ({ operation, id, planned }, context) => {
    if (operation !== "create") return [];
    const twin = (await context.list("azurerm_private_dns_zone_virtual_network_link")).find(
      (other) =>
        other.id !== id &&
        other.attributes["private_dns_zone_id"] === planned["private_dns_zone_id"] &&
        other.attributes["virtual_network_id"] === planned["virtual_network_id"],
    );
    if (twin === undefined) return [];
    const message = `A virtual network cannot be linked to multiple zones with overlapping namespaces: it is linked by ${twin.id}.`;
    return [{ code: "BadRequest", message }];
  },
  compute: () => ({ resolution_policy: "Default" }),
};

/** The private DNS resource types. */
export const privateDns = { azurerm_private_dns_zone: zone, azurerm_private_dns_zone_virtual_network_link: link } as const;
