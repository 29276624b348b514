import { getQuota } from "../../cloud/quotas.ts";
import type { HookContext } from "../../provider/definition.ts";
import { mapOf, textOf, textsAt } from "../../values/read-value.ts";
import { isList, type ValueMap } from "../../values/value.ts";
import { missingReference } from "../names.ts";
import type { Refusal } from "../refusal.ts";

/** The number of application security groups that the rules of one network security group can name. */
const mostGroups = 100;

const groupPaths = ["source_application_security_group_ids", "destination_application_security_group_ids"];

/** Checks the rules in the body of a network security group: their names, priorities and application security groups. */
export async function checkInlineRules({ security_rule: value }: ValueMap, context: HookContext): Promise<readonly Refusal[]> {
  const rules = (isList(value) ? value : []).map(mapOf);
  const limit = getQuota("rules-per-network-security-group", context.conditions);
  if (rules.length > limit) {
    const message = `Cannot create more than ${limit} security rules in a network security group.`;
    return [{ code: "MaxNumberOfSecurityRulesReached", message }];
  }
  for (const [index, rule] of rules.entries()) {
    const refusal = checkPriority(rule) ?? findTwin(rule, rules.slice(0, index));
    if (refusal !== undefined) return [{ ...refusal, path: ["security_rule"] }];
  }
  return checkGroups(rules, context);
}

function checkPriority({ name, priority }: ValueMap): Refusal | undefined {
  if (typeof priority === "number" && priority >= 100 && priority <= 4096) return undefined;
  const message = `Security rule ${textOf(name)} has invalid priority. The value must be between 100 and 4096.`;
  return { code: "SecurityRuleInvalidPriority", message };
}

function findTwin(rule: ValueMap, others: readonly ValueMap[]): Refusal | undefined {
  const nameOf = ({ name }: ValueMap): string => textOf(name);
  const same = others.find((other) => nameOf(other).toLowerCase() === nameOf(rule).toLowerCase());
  if (same !== undefined) return { code: "DuplicateResourceName", message: `Two security rules are called ${nameOf(rule)}.` };
  const twin = others.find((other) => other["priority"] === rule["priority"] && other["direction"] === rule["direction"]);
  if (twin === undefined) return undefined;
  const message = `Security rule ${nameOf(rule)} conflicts with rule ${nameOf(twin)}. Rules cannot have the same Priority and Direction.`;
  return { code: "SecurityRuleConflict", message };
}

async function checkGroups(rules: readonly ValueMap[], context: HookContext): Promise<readonly Refusal[]> {
  const used = new Set(rules.flatMap((rule) => groupPaths.flatMap((path) => textsAt(rule, path))).map((id) => id.toLowerCase()));
  if (used.size > mostGroups) {
    const message = `The rules of a network security group can name at most ${mostGroups} application security groups.`;
    return [{ code: "MaxNumberOfApplicationSecurityGroupsReached", message }];
  }
  if (used.size === 0) return [];
  const known = new Set((await context.list("azurerm_application_security_group")).map(({ id }) => id.toLowerCase()));
  const missing = [...used].find((id) => !known.has(id));
  return missing === undefined ? [] : [missingReference(missing)];
}
