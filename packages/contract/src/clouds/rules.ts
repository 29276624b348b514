import { awsRules } from "./aws/rules.ts";
import type { CloudRules } from "./cloud-rules.ts";
import { gcpRules } from "./gcp/rules.ts";

/** The validation rules of clouds that have any. */
export const cloudRules: readonly CloudRules[] = [awsRules, gcpRules];
