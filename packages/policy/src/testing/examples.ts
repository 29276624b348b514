import { loadRules } from "../load-rules.ts";
import type { RuleBook } from "../rule.ts";
import type { EntitySubject, PlacedEntity, PlanSubject, PolicyChange } from "../subject.ts";

/** Returns an AWS cluster in the `prod` environment, with the given overrides. */
export function entitySubject(given: Partial<PlacedEntity> = {}): EntitySubject {
  const entity: PlacedEntity = {
    kind: "Cluster",
    metadata: { name: "main", environment: "prod", labels: { tier: "gold" } },
    spec: { network: "main", version: "1.35" },
    account: { kind: "Account", metadata: { name: "acme" }, spec: { aws: { accountId: "123456789012" } } },
    parents: [
      { kind: "Network", metadata: { name: "main" }, spec: { cidr: "10.0.0.0/16" } },
      { kind: "Account", metadata: { name: "acme" }, spec: { aws: { accountId: "123456789012" } } },
    ],
    ...given,
  };
  return { on: "entity", entity };
}

/** Returns a plan for the cluster of `entitySubject`. */
export function planSubject(
  changes: readonly Partial<PolicyChange>[],
  allow: readonly string[] = [],
  upgradedFrom = "",
): PlanSubject {
  return { on: "plan", entity: entitySubject().entity, changes: changes.map(change), allow, upgradedFrom };
}

function change(given: Partial<PolicyChange>, index: number): PolicyChange {
  const type = given.type ?? "aws_vpc";
  const whole = { action: "create", unfinished: false, replacePaths: [], before: null, after: null } as const;
  return { address: `${type}.x${index}`, type, ...whole, ...given };
}

/** Renders a rule file that contains one rule with the given overrides. */
export function writeRule(given: object = {}): string {
  const rule = {
    name: "example",
    description: "an example",
    severity: "must",
    on: "entity",
    check: "true",
    message: "broken",
    fix: "Mend it.",
    ...given,
  };
  return JSON.stringify({ rules: [rule] });
}

/** Loads a single rule with the given overrides. */
export function bookOf(given: object): RuleBook {
  return loadRules([{ name: "rules.yaml", text: writeRule(given) }]);
}
