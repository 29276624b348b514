import { objectOf, textsOf } from "@cloudwright/platform";
import type { ApiOperation } from "../../../api/api-service.ts";
import type { ResourceMapping } from "../../../api/map-fields.ts";
import { listRecords } from "../../../api/read-records.ts";
import { guid } from "../../place.ts";
import { textsAt } from "../../../values/read-value.ts";
import { listArmOperations } from "../arm-kind.ts";
import { etagOf } from "../arm-resources.ts";

/** The fields of a public IP address. */
export const addressMapping: ResourceMapping = {
  type: "azurerm_public_ip",
  model: "PublicIPAddress",
  fields: [
    ["sku.name", "sku"],
    ["sku.tier", "sku_tier"],
    { api: "zones", attribute: "zones", read: (zones) => (textsOf(zones).length === 0 ? undefined : textsOf(zones).toSorted()) },
    ["properties.publicIPAllocationMethod", "allocation_method"],
    ["properties.publicIPAddressVersion", "ip_version"],
    ["properties.idleTimeoutInMinutes", "idle_timeout_in_minutes"],
    ["properties.dnsSettings.domainNameLabel", "domain_name_label"],
    { api: "properties.ipAddress", attribute: "ip_address", isReadOnly: true },
  ],
};

/** Operations on public IP addresses. */
export const addressOperations: readonly ApiOperation[] = listArmOperations({
  mapping: addressMapping,
  path: "Microsoft.Network/publicIPAddresses/{publicIpAddressName}",
  title: "PublicIPAddresses",
  creating: "Updating",
  async complete(call, record, rendered) {
    const cards = await listRecords(call, "azurerm_network_interface");
    const user = cards.find(({ attributes }) =>
      textsAt(attributes, "ip_configuration.public_ip_address_id").some((id) => id.toLowerCase() === record.id.toLowerCase()),
    );
    const name = textsAt(user?.attributes, "ip_configuration.name")[0] ?? "";
    const configuration = user === undefined ? {} : { ipConfiguration: { id: `${user.id}/ipConfigurations/${name}` } };
    return {
      ...rendered,
      etag: `W/"${etagOf(record.attributes)}"`,
      properties: { ...objectOf(rendered["properties"]), ...configuration, resourceGuid: guid(record.id) },
    };
  },
});
