import type { EntityJson } from "@cloudwright/contract";
import { requireTool, textOf, textsOf } from "@cloudwright/platform";
import { describeMachineContract } from "../machines/machine-contract.ts";
import type { MachineSubject } from "../machines/machine-subject.ts";
import { startSimulatedPlatform } from "../machines/simulated-platform.ts";
import type { SimulatedCloud } from "../simulated-cloud.ts";

const account = { simulated: true, aws: {} };
const region = "eu-west-1";
const ingressType = "aws_vpc_security_group_ingress_rule";

/** Returns the attributes of the records of one type that belong to a resource. */
async function listOf(cloud: SimulatedCloud, type: string, attribute: string, id: unknown) {
  return (await cloud.list(type)).filter(({ attributes }) => attributes[attribute] === id);
}

const idOf = ({ status }: EntityJson, field: string): string => textOf(status[field]);

const aws: MachineSubject = {
  cloud: "aws",
  start: startSimulatedPlatform,
  account,
  otherAccount: account,
  network: { region },
  instance: { machineType: "t3.micro" },
  volume: { region },
  distantVolumes: [
    { region, zone: "b" },
    { region: "eu-central-1", zone: "a" },
  ],
  observe: {
    async readAttachment(cloud, volume) {
      const [found] = await listOf(cloud, "aws_volume_attachment", "volume_id", volume.status["volumeId"]);
      return textOf(found?.attributes["instance_id"]);
    },
    async readSizeGib(cloud, volume) {
      const found = (await cloud.list("aws_ebs_volume")).find(({ id }) => id === volume.status["volumeId"]);
      return Number(found?.attributes["size"]);
    },
    async listGroups(cloud, instance) {
      const found = (await cloud.list("aws_instance")).find(({ id }) => id === instance.status["instanceId"]);
      return textsOf(found?.attributes["vpc_security_group_ids"]);
    },
    async listIngress(cloud, group) {
      const rules = await listOf(cloud, ingressType, "security_group_id", group.status["groupId"]);
      return rules.map(({ attributes }) => {
        const protocol = textOf(attributes["ip_protocol"]);
        const ports = protocol === "icmp" ? "" : ` ${Number(attributes["from_port"])}-${Number(attributes["to_port"])}`;
        const source = textOf(attributes["cidr_ipv4"]) || textOf(attributes["referenced_security_group_id"]);
        return `${protocol}${ports} from ${source}`;
      });
    },
  },
  changes: [
    {
      what: "a volume was deleted",
      collection: "volumes",
      name: "data",
      make: async ({ simulated }, volume) => simulated?.remove({ type: "aws_ebs_volume", id: idOf(volume, "volumeId") }),
    },
    {
      what: "a rule was deleted",
      collection: "securitygroups",
      name: "db",
      async make({ simulated }, group) {
        const rules = await listOf(simulated as SimulatedCloud, ingressType, "security_group_id", group.status["groupId"]);
        await simulated?.remove({ type: ingressType, id: rules[0]?.id ?? "" });
      },
    },
    {
      what: "a machine was moved to other groups",
      collection: "instances",
      name: "one",
      async make({ simulated }, instance) {
        const [two] = (await simulated?.list("aws_instance"))?.filter(({ id }) => id !== idOf(instance, "instanceId")) ?? [];
        const vpc_security_group_ids = two?.attributes["vpc_security_group_ids"] ?? [];
        await simulated?.change({ type: "aws_instance", id: idOf(instance, "instanceId") }, { vpc_security_group_ids });
      },
    },
  ],
};

// The network is built with Terraform.
const terraform = requireTool("terraform");
describeMachineContract(aws, terraform.found ? undefined : terraform.reason);
