import type { EntityJson } from "@cloudwright/contract";
import { listOf, objectOf, requireTool, textOf, textsOf, type ReadonlyJsonObject } from "@cloudwright/platform";
import { describeMachineContract } from "../machines/machine-contract.ts";
import type { MachineSubject } from "../machines/machine-subject.ts";
import { startSimulatedPlatform } from "../machines/simulated-platform.ts";
import type { SimulatedCloud } from "../simulated-cloud.ts";

const account = { simulated: true, azure: {} };
const region = "westeurope";
const sharedType = "azurerm_network_security_group";

const idOf = ({ status }: EntityJson, field: string): string => textOf(status[field]);

/** Returns the network security group that contains the rules of a group, and these rules. */
async function findRules(cloud: SimulatedCloud, { metadata }: EntityJson) {
  const own = `cloudwright-${metadata.uid ?? ""}-`;
  for (const shared of await cloud.list(sharedType)) {
    const all = listOf(shared.attributes["security_rule"]).map((rule): ReadonlyJsonObject => objectOf(rule));
    const rules = all.filter(({ name }) => textOf(name).startsWith(own));
    if (rules.length > 0) return { shared, all, rules };
  }
  throw new Error(`no network security group has rules of ${metadata.name ?? ""}`);
}

/** Returns the network interface of an instance. */
async function findCard(cloud: SimulatedCloud, instance: EntityJson) {
  const cards = await cloud.list("azurerm_network_interface");
  const name = `${textOf(instance.status["instanceId"]).split("/").at(-1) ?? ""}-nic`;
  return cards.find(({ attributes }) => attributes["name"] === name);
}

function renderRule(rule: ReadonlyJsonObject): string {
  const protocol = textOf(rule["protocol"]).toLowerCase();
  const range = textOf(rule["destination_port_range"]);
  const [first = "0", last = first] = range === "*" ? ["0", "65535"] : range.split("-");
  const [group] = textsOf(rule["source_application_security_group_ids"]);
  return `${protocol}${protocol === "icmp" ? "" : ` ${first}-${last}`} from ${group ?? textOf(rule["source_address_prefix"])}`;
}

const azure: MachineSubject = {
  cloud: "azure",
  start: startSimulatedPlatform,
  account,
  otherAccount: account,
  network: { region },
  instance: { machineType: "Standard_B2s" },
  volume: { region },
  distantVolumes: [
    { region, zone: "2" },
    { region: "northeurope", zone: "1" },
  ],
  observe: {
    async readAttachment(cloud, volume) {
      const found = (await cloud.list("azurerm_managed_disk")).find(({ id }) => id === volume.status["volumeId"]);
      return textOf(found?.attributes["api_managed_by"]);
    },
    async readSizeGib(cloud, volume) {
      const found = (await cloud.list("azurerm_managed_disk")).find(({ id }) => id === volume.status["volumeId"]);
      return Number(found?.attributes["disk_size_gb"]);
    },
    listGroups: async (cloud, instance) => textsOf((await findCard(cloud, instance))?.attributes["api_application_group_ids"]),
    async listIngress(cloud, group) {
      const { rules } = await findRules(cloud, group);
      return rules.filter(({ direction, access }) => direction === "Inbound" && access === "Allow").map(renderRule);
    },
  },
  changes: [
    {
      what: "a volume was deleted",
      collection: "volumes",
      name: "data",
      make: async ({ simulated }, volume) => simulated?.remove({ type: "azurerm_managed_disk", id: idOf(volume, "volumeId") }),
    },
    {
      what: "a rule was deleted",
      collection: "securitygroups",
      name: "db",
      async make({ simulated }, group) {
        if (simulated === undefined) return;
        const { shared, all, rules } = await findRules(simulated, group);
        const lost = rules.find(({ access }) => access === "Allow");
        const kept = all.filter(({ name }) => name !== lost?.["name"]);
        await simulated.change({ type: sharedType, id: shared.id }, { security_rule: kept });
      },
    },
    {
      what: "a machine was moved to other groups",
      collection: "instances",
      name: "one",
      async make({ simulated }, instance) {
        if (simulated === undefined) return;
        const card = await findCard(simulated, instance);
        const key = { type: "azurerm_network_interface", id: card?.id ?? "" };
        await simulated.change(key, { api_application_group_ids: [] });
      },
    },
  ],
};

// The network is built with Terraform.
const terraform = requireTool("terraform");
describeMachineContract(azure, terraform.found ? undefined : terraform.reason);
