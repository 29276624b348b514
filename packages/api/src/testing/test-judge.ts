import type { Judge, JudgedChange, JudgedEntity, JudgedFinding } from "../entities/judge.ts";

/** A judge that returns configured findings and records its inputs. */
export interface TestJudge extends Judge {
  /** Sets the findings for entities and plans. Default: no findings. */
  say(findings: Partial<Record<"entity" | "plan", readonly Partial<JudgedFinding>[]>>): void;
  readonly entities: JudgedEntity[];
  readonly plans: {
    readonly placed: JudgedEntity;
    readonly changes: readonly JudgedChange[];
    readonly allow: readonly string[];
    readonly upgradedFrom: string;
  }[];
}

/** Creates a judge that initially allows everything. */
export function createTestJudge(): TestJudge {
  const entities: JudgedEntity[] = [];
  const plans: TestJudge["plans"] = [];
  let said: { entity: readonly JudgedFinding[]; plan: readonly JudgedFinding[] } = { entity: [], plan: [] };
  return {
    entities,
    plans,
    say: ({ entity = [], plan = [] }) => void (said = { entity: entity.map(complete), plan: plan.map(complete) }),
    entity(placed) {
      entities.push(placed);
      return said.entity;
    },
    plan(placed, changes, allow, upgradedFrom = "") {
      plans.push({ placed, changes, allow, upgradedFrom });
      return Promise.resolve(said.plan);
    },
  };
}

function complete(finding: Partial<JudgedFinding>): JudgedFinding {
  return { rule: "a-rule", severity: "must", message: "is not allowed", path: "spec.region", fix: "Choose another.", ...finding };
}
