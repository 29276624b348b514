import { createDocumentWorker, type JudgedChange, type JudgedFinding } from "@cloudwright/api";
import { findText } from "@cloudwright/platform";
import type { RuleBook } from "@cloudwright/policy";
import { setImmediate } from "node:timers/promises";
import { decidePlan, type JudgedPlan } from "./decide-plan.ts";
import { isHeavier, weigh } from "./weigh-value.ts";
import type { RuleFile } from "./read-rule-files.ts";

/** Evaluates policies against plans. */
export interface PlanJudge {
  judge(plan: JudgedPlan): Promise<readonly JudgedFinding[]>;
  close(): Promise<void>;
}

/** A message to the thread: some of the plan's changes, or the rest of the plan, which follows the last of them. */
export type JudgeJob =
  | { readonly kind: "changes"; readonly isFirst: boolean; readonly changes: readonly JudgedChange[] }
  | ({ readonly kind: "judge" } & Omit<JudgedPlan, "changes">);

/** A message from the thread. `findings` is empty until the whole plan was sent. */
export type JudgeReply = { readonly findings: readonly JudgedFinding[] } | { readonly failure: string };

/** The rules need a few milliseconds for a plan of this weight. Such a plan is evaluated in the main thread. */
const smallWeight = 2500;
/** The main thread needs a few milliseconds to send changes of this weight. */
const batchWeight = 5000;

/**
 * Creates the evaluation of plans for one server. A large plan is evaluated in a thread, because it takes seconds and would delay all other
 * requests. `files` contains the rules of `book`.
 */
export function createPlanJudge(book: RuleBook, files: readonly RuleFile[]): PlanJudge {
  const thread = createDocumentWorker({ file: new URL("policy-thread.ts", import.meta.url), data: files });
  return {
    async judge(plan) {
      if (!isHeavier(plan.changes, smallWeight)) return decidePlan(book, plan);
      const { changes, ...rest } = plan;
      return thread.run(findText(plan.placed.metadata["project"]) ?? "", async (ask) => {
        let isFirst = true;
        for (const batch of split(changes)) {
          readReply(await ask<JudgeReply>({ kind: "changes", isFirst, changes: batch } satisfies JudgeJob));
          isFirst = false;
          await setImmediate();
        }
        return readReply(await ask<JudgeReply>({ kind: "judge", ...rest } satisfies JudgeJob));
      });
    },
    close: () => thread.close(),
  };
}

function readReply(reply: JudgeReply): readonly JudgedFinding[] {
  if ("failure" in reply) throw new Error(`the policies could not be evaluated: ${reply.failure}`);
  return reply.findings;
}

function* split(changes: readonly JudgedChange[]): Generator<JudgedChange[]> {
  let batch: JudgedChange[] = [];
  let weight = 0;
  for (const change of changes) {
    batch.push(change);
    weight += weigh(change);
    if (weight < batchWeight) continue;
    yield batch;
    batch = [];
    weight = 0;
  }
  yield batch;
}
