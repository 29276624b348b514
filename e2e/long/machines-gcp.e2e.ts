import type { EntityJson } from "@cloudwright/contract";
import { listOf, objectOf, requireTool, textOf, textsOf } from "@cloudwright/platform";
import { describeMachineContract } from "../machines/machine-contract.ts";
import type { MachineSubject } from "../machines/machine-subject.ts";
import { startSimulatedPlatform } from "../machines/simulated-platform.ts";
import type { SimulatedCloud } from "../simulated-cloud.ts";

const account = { simulated: true, gcp: {} };
const region = "europe-west1";
const [diskType, machineType, ruleType] = ["google_compute_disk", "google_compute_instance", "google_compute_firewall"];

const idOf = ({ status }: EntityJson, field: string): string => textOf(status[field]);

async function findById(cloud: SimulatedCloud, type: string, id: string) {
  return (await cloud.list(type)).find((each) => each.id === id);
}

/** Returns the firewall rules that allow incoming traffic for the instances of a group. */
async function listAllowing(cloud: SimulatedCloud, group: EntityJson) {
  return (await cloud.list(ruleType)).filter(
    ({ attributes }) =>
      textsOf(attributes["target_tags"]).includes(idOf(group, "groupId")) &&
      attributes["direction"] === "INGRESS" &&
      listOf(attributes["allow"]).length > 0,
  );
}

const gcp: MachineSubject = {
  cloud: "gcp",
  start: startSimulatedPlatform,
  account,
  otherAccount: account,
  network: { region },
  instance: { machineType: "e2-small" },
  volume: { region },
  distantVolumes: [
    { region, zone: "c" },
    { region: "us-central1", zone: "a" },
  ],
  observe: {
    async readAttachment(cloud, volume) {
      const found = (await cloud.list(machineType)).find(({ attributes }) =>
        listOf(attributes["attached_disk"]).some((disk) => textOf(objectOf(disk)["source"]).endsWith(idOf(volume, "volumeId"))),
      );
      return found?.id ?? "";
    },
    async readSizeGib(cloud, volume) {
      return Number((await findById(cloud, diskType, idOf(volume, "volumeId")))?.attributes["size"]);
    },
    async listGroups(cloud, instance) {
      return textsOf((await findById(cloud, machineType, idOf(instance, "instanceId")))?.attributes["tags"]);
    },
    async listIngress(cloud, group) {
      return (await listAllowing(cloud, group)).flatMap(({ attributes }) => {
        const { protocol, ports } = objectOf(listOf(attributes["allow"])[0]);
        const [range = "0-65535"] = textsOf(ports);
        const what = protocol === "icmp" ? "icmp" : `${textOf(protocol)} ${range.includes("-") ? range : `${range}-${range}`}`;
        const sources = [...textsOf(attributes["source_ranges"]), ...textsOf(attributes["source_tags"])];
        return sources.map((source) => `${what} from ${source}`);
      });
    },
  },
  changes: [
    {
      what: "a volume was deleted",
      collection: "volumes",
      name: "data",
      make: async ({ simulated }, volume) => simulated?.remove({ type: diskType, id: idOf(volume, "volumeId") }),
    },
    {
      what: "a firewall rule was deleted",
      collection: "securitygroups",
      name: "db",
      async make({ simulated }, group) {
        const [rule] = await listAllowing(simulated as SimulatedCloud, group);
        await simulated?.remove({ type: ruleType, id: rule?.id ?? "" });
      },
    },
    {
      what: "a machine lost the tags of its groups",
      collection: "instances",
      name: "one",
      make: async ({ simulated }, instance) =>
        simulated?.change({ type: machineType, id: idOf(instance, "instanceId") }, { tags: [] }),
    },
  ],
};

// The network is built with Terraform.
const terraform = requireTool("terraform");
describeMachineContract(gcp, terraform.found ? undefined : terraform.reason);
