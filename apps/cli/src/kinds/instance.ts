import type { CliKind } from "./cli-kind.ts";
import { provisionedVerbs } from "./verbs.ts";

export const instance: CliKind<"Instance"> = {
  verbs: [...provisionedVerbs, "logs", "stop", "start", "ssh"],
  columns: [
    ["MACHINE", ({ status }) => status?.machineStatus],
    ["NETWORK", ({ spec }) => spec?.network || spec?.inventory],
    ["TYPE", ({ spec, status }) => status?.machineType || spec?.machineType],
    ["ADDRESS", ({ status }) => status?.publicAddress || status?.privateAddress],
    ["IMAGE", ({ spec }) => spec?.image, "wide"],
    ["ZONE", ({ status }) => status?.zone, "wide"],
    ["INSTANCE ID", ({ status }) => status?.instanceId, "wide"],
  ],
  createExamples: [
    "cloud instance create --name web --vpc main --type t3.micro --image ubuntu-24.04 --ssh-key ops --wait",
    "cloud instance create web --network main --ssh-key ops --public-address --root-disk-size-gib 40",
    "cloud instance create db --inventory rack --host-labels disk=ssd --ssh-key ops --wait",
  ],
  parentColumn: "NETWORK",
  networkByCloudId: true,
  flagAliases: { type: "machine-type", "ssh-key": "ssh-keys", "security-group": "security-groups" },
  readLog: (client, project, name, options) => client.instances.log(project, name, options),
  updateExamples: [
    "cloud instance update web --machine-type t3.small --wait",
    "cloud instance update web --security-groups web,ssh --wait",
  ],
};
