import { awsRules } from "./aws/rules.ts";
import { azureRules } from "./azure/rules.ts";
import type { CloudRules } from "./cloud-rules.ts";
import { gcpRules } from "./gcp/rules.ts";

export const cloudRules: readonly CloudRules[] = [awsRules, gcpRules, azureRules];
