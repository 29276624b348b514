import { formatTaskType, type TaskService, type TaskTypeName } from "@cloudwright/contract";
import type { Step, StepResult, Work } from "../engine/step.ts";
import type { Scope } from "../engine/scope.ts";
import { readFault, runTask } from "./run-task.ts";

/**
 * Creates the step that destroys the infrastructure, unless the deletion policy retains it. A forced deletion abandons resources that
 * cannot be destroyed.
 */
export function createDestroyStep(service: TaskService): Step {
  const type = formatTaskType(service, "destroy");
  return {
    name: "destroy",
    condition: "InfrastructureReady",
    weight: 1,
    decide(scope, work) {
      if (scope.entity.object.metadata.deletionPolicy === "retain")
        return { do: "continue", message: 'the infrastructure is kept because the deletion policy is "retain"' };
      if (!scope.begun) return { do: "continue", message: "no infrastructure was built" };
      return tellForgotten(scope, work.spec.force ? destroyOrAbandon(scope, work, type) : runTask(scope, work, type, "long"));
    },
  };
}

/**
 * Adds forgotten resources to the list of resources that stay in the account. Forgotten resources carry the entity's ownership tag, so an
 * agent may already have listed them as resources that it could not remove.
 */
function tellForgotten({ forgotten }: Scope, result: StepResult): StepResult {
  if (forgotten.length === 0 || (result.do !== "continue" && result.do !== "stop")) return result;
  const names = new Set(forgotten.map(({ type, id }) => `${type} ${id}`));
  const others = (left: readonly string[]): string[] => left.filter((each) => !names.has(each));
  if (result.do === "stop") return result.left === undefined ? result : { ...result, left: others(result.left) };
  const kept = forgotten.map(({ type, id, address }) => `${type} ${id} (forgotten: no longer managed as ${address})`);
  const abandoned = [...others(result.abandoned ?? []), ...kept];
  const message = `${kept.length === 1 ? "1 forgotten resource stays" : `${kept.length} forgotten resources stay`} in the account: ${kept.slice(0, mostNamed).join(", ")}`;
  return { ...result, message: result.message === undefined ? message : `${result.message}. ${message}`, abandoned };
}

/** How long a forced deletion waits for an agent to take its task. */
const patienceMs = 10_000;

function destroyOrAbandon(scope: Scope, work: Work, type: TaskTypeName): StepResult {
  const last = scope.tasks.findLast((task) => task.type === type);
  if (last?.state === "failed") return abandon(scope, readFault(last).left, readFault(last).message);
  const step = runTask(scope, work, type, "long");
  if (step.do === "stop") return abandon(scope, step.left ?? [], step.message);
  if (step.do !== "wait" || step.task === undefined) return step;
  const waitedMs = scope.nowMs - (last?.createdAtMs ?? scope.nowMs);
  if (step.reason === "Working" || waitedMs < patienceMs) return { ...step, recheckAfterMs: patienceMs };
  const former = last?.formerOutcome === undefined ? [] : readFault({ outcome: last.formerOutcome }).left;
  return abandon(scope, former, step.message);
}

function abandon({ entity }: Scope, left: readonly string[], why: string): StepResult {
  const abandoned = left.length > 0 ? left : [describeUnlisted(entity, why)];
  const named = abandoned.slice(0, mostNamed).join(", ");
  const more = abandoned.length > mostNamed ? ` and ${abandoned.length - mostNamed} more` : "";
  const count = abandoned.length === 1 ? "1 item" : `${abandoned.length} items`;
  return {
    do: "continue",
    message: `gave up on ${count} that could not be removed: ${why}. Left in the account: ${named}${more}`,
    abandoned,
  };
}

/** Maximum number of abandoned resources to name in the operation's message and event. The operation's status lists all of them. */
const mostNamed = 50;

function describeUnlisted({ kind, name, uid }: Scope["entity"], why: string): string {
  const tag = `the tag cloudwright:entity=${uid}`;
  return `everything that was built for ${kind} "${name}" (${uid}): ${why}. No agent listed the resources; they carry ${tag}`;
}
