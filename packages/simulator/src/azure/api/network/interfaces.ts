import { isObject, listOf, objectOf, textOf, textsOf } from "@cloudwright/platform";
import type { ApiCall, ApiOperation } from "../../../api/api-service.ts";
import type { ResourceMapping } from "../../../api/map-fields.ts";
import type { CloudRecord } from "../../../inventory/inventory.ts";
import { mapOf } from "../../../values/read-value.ts";
import { isList, type Value, type ValueMap } from "../../../values/value.ts";
import { guid } from "../../place.ts";
import { listArmOperations, type Written } from "../arm-kind.ts";
import { etagOf, findById } from "../arm-resources.ts";
import { refuse } from "../errors.ts";

/** The fields of a network interface. */
export const interfaceMapping: ResourceMapping = {
  type: "azurerm_network_interface",
  model: "NetworkInterface",
  fields: [
    ["properties.enableAcceleratedNetworking", "accelerated_networking_enabled"],
    ["properties.enableIPForwarding", "ip_forwarding_enabled"],
    { api: "properties.macAddress", attribute: "mac_address", isReadOnly: true },
    { api: "properties.ipConfigurations", attribute: "ip_configuration", read: toConfigurations, write: fromConfigurations },
  ],
};

/** Operations on network interfaces. */
export const interfaceOperations: readonly ApiOperation[] = listArmOperations({
  mapping: interfaceMapping,
  path: "Microsoft.Network/networkInterfaces/{networkInterfaceName}",
  title: "NetworkInterfaces",
  creating: "Updating",
  read: readInterface,
  complete(_call, record, rendered) {
    const members = textsOf(record.attributes["api_application_group_ids"]);
    const [machine, group] = [
      textOf(record.attributes["virtual_machine_id"]),
      textOf(record.attributes["api_security_group_id"]),
    ];
    return {
      ...rendered,
      etag: `W/"${etagOf(record.attributes)}"`,
      properties: {
        ...withGroups(objectOf(rendered["properties"]), members),
        ...(machine === "" ? {} : { virtualMachine: { id: machine } }),
        ...(group === "" ? {} : { networkSecurityGroup: { id: group } }),
        resourceGuid: guid(record.id),
        nicType: "Standard",
      },
    };
  },
});

/** Adds application security groups to the address configurations. In Azure, all configurations of an interface have the same groups. */
function withGroups(properties: Readonly<Record<string, unknown>>, groups: readonly string[]): Record<string, unknown> {
  if (groups.length === 0) return { ...properties };
  const applicationSecurityGroups = groups.map((id) => ({ id }));
  const ipConfigurations = listOf(properties["ipConfigurations"])
    .map(objectOf)
    .map((each) => ({ ...each, properties: { ...objectOf(each["properties"]), applicationSecurityGroups } }));
  return { ...properties, ipConfigurations };
}

async function requireFound(call: ApiCall, type: string, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    if ((await findById(call, type, id)) !== undefined) continue;
    refuse("InvalidResourceReference", `Resource ${id} referenced by the request was not found.`, 400);
  }
}

async function readInterface(call: ApiCall, body: unknown, existing: CloudRecord | undefined): Promise<Written> {
  const properties = objectOf(objectOf(body)["properties"]);
  const group = textOf(objectOf(properties["networkSecurityGroup"])["id"]);
  const members = [
    ...new Set(
      listOf(properties["ipConfigurations"])
        .flatMap((each) => listOf(objectOf(objectOf(each)["properties"])["applicationSecurityGroups"]))
        .map((each) => textOf(objectOf(each)["id"])),
    ),
  ].toSorted();
  await requireFound(call, "azurerm_network_security_group", group === "" ? [] : [group]);
  await requireFound(call, "azurerm_application_security_group", members);
  const addresses = listOf(properties["ipConfigurations"]).map((each) =>
    objectOf(objectOf(objectOf(each)["properties"])["publicIPAddress"]),
  );
  const marked = addresses.flatMap((address) =>
    textOf(objectOf(address["properties"])["deleteOption"]) === "Delete" ? [textOf(address["id"])] : [],
  );
  const kept = textsOf(existing?.attributes["api_delete_ids"]);
  return {
    config: {},
    beyond: {
      api_delete_ids: marked.length === 0 ? kept : marked,
      api_security_group_id: group,
      api_application_group_ids: members,
    },
  };
}

function toConfigurations(value: Value, { id }: CloudRecord): unknown {
  return (isList(value) ? value : []).map(mapOf).map((each, index) => {
    const [subnet, address] = [textOf(each["subnet_id"]), textOf(each["public_ip_address_id"])];
    return {
      id: `${id}/ipConfigurations/${textOf(each["name"])}`,
      name: textOf(each["name"]),
      type: "Microsoft.Network/networkInterfaces/ipConfigurations",
      properties: {
        provisioningState: "Succeeded",
        privateIPAddress: textOf(each["private_ip_address"]),
        privateIPAllocationMethod: textOf(each["private_ip_address_allocation"]),
        privateIPAddressVersion: textOf(each["private_ip_address_version"]) || "IPv4",
        primary: typeof each["primary"] === "boolean" ? each["primary"] : index === 0,
        ...(subnet === "" ? {} : { subnet: { id: subnet } }),
        ...(address === "" ? {} : { publicIPAddress: { id: address } }),
      },
    };
  });
}

function fromConfigurations(value: unknown): Value {
  return listOf(value)
    .filter(isObject)
    .map((each): ValueMap => {
      const properties = objectOf(each["properties"]);
      const { primary } = properties;
      return {
        name: textOf(each["name"]),
        private_ip_address_allocation: textOf(properties["privateIPAllocationMethod"]) || "Dynamic",
        ...(textOf(properties["privateIPAllocationMethod"]) === "Static" && {
          private_ip_address: textOf(properties["privateIPAddress"]),
        }),
        subnet_id: textOf(objectOf(properties["subnet"])["id"]) || null,
        public_ip_address_id: textOf(objectOf(properties["publicIPAddress"])["id"]) || null,
        ...(typeof primary === "boolean" ? { primary } : {}),
      };
    });
}
