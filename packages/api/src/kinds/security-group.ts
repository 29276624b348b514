import { cloudOf, getKind, listLinks, listNames, type JsonObject } from "@cloudwright/contract";
import { findCloud } from "@cloudwright/contract/clouds";
import { invalid } from "../calls/decode.ts";
import { findGroupProblems } from "../entities/find-group-problems.ts";
import { isObject, textAt } from "../entities/json-tree.ts";
import type { KindRules } from "./kind-rules.ts";

export const securityGroupRules: KindRules = {
  // Defaults are stored, so that equal rules are equal texts.
  normalise: (spec) => ({ ...spec, rules: listRules(spec).map(completeRule) }),
  checkAgainstOwner(_spec, { name, spec }) {
    const cloud = findCloud(cloudOf(spec) ?? "");
    if (cloud === undefined || cloud.hasSecurityGroups === true) return [];
    const message = `is "${name}", which is in ${cloud.title}; this release cannot create security groups in ${cloud.title}`;
    return [{ field: "spec.network", message }];
  },
  async admit(deps, _call, { uid, project, spec }) {
    const names = listLinks(getKind("SecurityGroup")).flatMap((reference) => listNames(spec, reference));
    const network = textAt(spec, "network");
    const fields = await findGroupProblems(deps, { uid, project, network, names, field: "spec.rules.group" });
    if (fields.length > 0) throw invalid("the SecurityGroup", fields);
  },
};

function listRules({ rules }: JsonObject): JsonObject[] {
  return Array.isArray(rules) ? rules.filter((rule): rule is JsonObject => isObject(rule)) : [];
}

function completeRule(rule: JsonObject): JsonObject {
  const { direction, fromPort = 0, toPort } = rule;
  return { ...rule, direction: direction || "ingress", fromPort, toPort: toPort || fromPort };
}
