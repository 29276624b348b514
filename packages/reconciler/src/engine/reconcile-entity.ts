import { createUid, type Logger } from "@cloudwright/platform";
import { forgetDue, settleDue, type DueEntity, type Signal } from "@cloudwright/store";
import type { AgentAbility } from "@cloudwright/tasks";
import { decide } from "./decide.ts";
import type { Lifecycle } from "./step.ts";
import { placeableAfterMs } from "./placement.ts";
import { readScope } from "./read-scope.ts";
import type { Scope } from "./scope.ts";
import { writeDecision, type WriteDeps } from "./write-decision.ts";

export interface ReconcileDeps extends WriteDeps {
  readonly log: Logger;
  readonly plans: Readonly<Record<string, Lifecycle>>;
  readonly taskSignal: Signal;
  readonly wakes: Signal;
  /** Tells watchers that something was committed. */
  readonly feed: { poke(): void };
  listAgents(): Promise<readonly (AgentAbility & { readonly project: string })[]>;
}

const attempts = 5;

/** Looks at one entity: reads it once, decides, writes once. When somebody else wrote meanwhile, it starts over. */
export async function reconcileEntity(deps: ReconcileDeps, due: DueEntity): Promise<void> {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const scope = await readScope(deps.pool, due.uid);
    const plan = scope === undefined ? undefined : deps.plans[scope.entity.kind];
    if (scope === undefined || plan === undefined) return forgetDue(deps.pool, [due.uid]);
    const decision = decide(await withAgents(deps, scope), plan, deps.rules, () => createUid(deps.clock.now()));
    const written = await writeDecision(deps, scope, decision, due);
    if (written === undefined) continue;
    if (written.changed) deps.feed.poke();
    if (written.enqueued) deps.taskSignal.notify();
    if (written.woke || !written.quiet || decision.recheckAfterMs === 0) deps.wakes.notify();
    return undefined;
  }
  deps.log.debug({ uid: due.uid }, "an entity kept changing while it was looked at");
  await settleDue(deps.pool, due, 1);
  return undefined;
}

/** Who could take a task is asked only for one that has waited for a while. */
async function withAgents(deps: ReconcileDeps, scope: Scope): Promise<Scope> {
  const waits = scope.tasks.some(({ state, createdAtMs }) => state === "ready" && scope.nowMs - createdAtMs >= placeableAfterMs);
  if (!waits) return scope;
  const agents = await deps.listAgents();
  return { ...scope, agents: agents.filter(({ project }) => project === "system" || project === scope.entity.project) };
}
