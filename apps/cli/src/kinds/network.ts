import type { CliKind } from "./cli-kind.ts";
import { provisionedVerbs } from "./verbs.ts";

export const network: CliKind<"Network"> = {
  verbs: provisionedVerbs,
  columns: [
    ["ACCOUNT", ({ spec }) => spec?.account],
    ["REGION", ({ spec }) => spec?.region],
    ["CIDR", ({ spec, status }) => status?.cidr || spec?.cidr],
    ["NETWORK ID", ({ status }) => status?.networkId, "wide"],
  ],
  createExamples: [
    "cloud network create main --account sandbox --region eu-west-1 --cidr 10.0.0.0/16",
    "cloud network create main --account sandbox --region eu-west-1 --preflight",
  ],
  parentColumn: "ACCOUNT",
  updateExamples: ["cloud network update main --subnets-private 10.0.64.0/20 --allow replace"],
};
