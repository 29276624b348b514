import type { Judge, JudgedEntity } from "@cloudwright/api";
import { decide, describeFinding, loadRules, type Decision, type PlacedEntity } from "@cloudwright/policy";
import type { Rules, Scope } from "@cloudwright/reconciler";
import { toFinding } from "./decide-plan.ts";
import { createPlanJudge } from "./judge-plans.ts";
import { readRuleFiles } from "./read-rule-files.ts";

/** The policy checks for the API and for the reconciler. Both use the same rules. */
export interface Policies {
  readonly judge: Judge;
  readonly findDenials: Rules["findDenials"];
  /** Stops the thread that evaluates large plans. */
  close(): Promise<void>;
}

/**
 * Loads the built-in rules and the rules in the user's folder. An invalid rule prevents startup, because ignoring it would allow changes
 * that it should deny.
 */
export function loadPolicies(folder: string | undefined): Policies {
  const files = readRuleFiles(folder);
  const book = loadRules(files);
  const plans = createPlanJudge(book, files);
  const judgeEntity = (entity: PlacedEntity): Decision => decide(book, { on: "entity", entity });
  return {
    judge: {
      entity: (placed) => judgeEntity(placed).findings.map(toFinding),
      plan: (placed, changes, allow, upgradedFrom = "") => plans.judge({ placed, changes, allow, upgradedFrom }),
    },
    findDenials: (scope) =>
      judgeEntity(placeScope(scope))
        .findings.filter(({ severity }) => severity === "must")
        .map(describeFinding),
    close: () => plans.close(),
  };
}

function placeScope({ entity, above }: Scope): PlacedEntity {
  const parents = above.map(({ kind, object }) => ({ kind, metadata: object.metadata, spec: object.spec }));
  const { metadata, spec } = entity.object;
  return { kind: entity.kind, metadata, spec, parents, ...findAccount(parents) };
}

function findAccount(parents: JudgedEntity["parents"]): Pick<JudgedEntity, "account"> {
  const account = parents.find(({ kind }) => kind === "Account");
  return account === undefined ? {} : { account };
}
