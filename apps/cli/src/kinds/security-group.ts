import { createRuleFlag } from "../flags/rule-flag.ts";
import type { CliKind } from "./cli-kind.ts";
import { provisionedVerbs } from "./verbs.ts";

export const securityGroup: CliKind<"SecurityGroup"> = {
  verbs: provisionedVerbs,
  columns: [
    ["NETWORK", ({ spec }) => spec?.network],
    ["RULES", ({ spec }) => spec?.rules?.length ?? 0],
    ["DESCRIPTION", ({ spec }) => spec?.description, "wide"],
    ["GROUP ID", ({ status }) => status?.groupId, "wide"],
  ],
  createExamples: [
    "cloud securitygroup create web --network lan --allow tcp:443:0.0.0.0/0 --allow tcp:22:10.0.0.0/8 --wait",
    "cloud securitygroup create db --network lan --allow tcp:5432:web --allow all:self --allow-egress udp:53:0.0.0.0/0",
  ],
  updateExamples: ["cloud securitygroup update web --allow tcp:443:0.0.0.0/0 --allow tcp:8000-8080:10.0.0.0/8 --wait"],
  parentColumn: "NETWORK",
  recordFlags: [createRuleFlag("allow", "ingress"), createRuleFlag("allow-egress", "egress")],
};
