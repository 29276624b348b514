import { createUid, type Logger } from "@cloudwright/platform";
import { forgetDue, settleDue, type DueEntity, type Signal } from "@cloudwright/store";
import type { AgentAbility } from "@cloudwright/tasks";
import { decide } from "./decide.ts";
import type { Lifecycle } from "./step.ts";
import { placeableAfterMs } from "./placement.ts";
import { readScopes } from "./read-scope.ts";
import type { Scope } from "./scope.ts";
import { writeDecisions, type Pass, type WriteDeps } from "./write-decision.ts";

export interface ReconcileDeps extends WriteDeps {
  readonly log: Logger;
  readonly lifecycles: Readonly<Record<string, Lifecycle>>;
  readonly taskSignal: Signal;
  readonly wakes: Signal;
  /** Notifies watchers after a commit. */
  readonly feed: { poke(): void };
  listAgents(): Promise<readonly (AgentAbility & { readonly serves: readonly string[] | undefined })[]>;
}

const attempts = 5;

export interface FailedPass {
  readonly due: DueEntity;
  readonly error: unknown;
}

/**
 * Runs passes for several entities. Reading them in one statement and writing them in one transaction costs a third as much as separate
 * transactions. If the shared transaction fails, each entity gets its own, so that one failure does not delay the others.
 */
export async function reconcileEntities(deps: ReconcileDeps, dues: readonly DueEntity[]): Promise<FailedPass[]> {
  const left = dues.length === 1 ? dues : await reconcileTogether(deps, dues).catch(() => dues);
  const failed: FailedPass[] = [];
  for (const due of left) await reconcileEntity(deps, due).catch((error: unknown) => void failed.push({ due, error }));
  return failed;
}

/** Runs a pass for one entity. Starts over if another process changed the entity in the meantime. */
async function reconcileEntity(deps: ReconcileDeps, due: DueEntity): Promise<void> {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const passes = await decidePasses(deps, [due]);
    if (passes.length === 0 || (await write(deps, passes))) return;
  }
  deps.log.debug({ uid: due.uid }, "an entity kept changing during its passes");
  await settleDue(deps.pool, due, 1);
}

/**
 * Runs passes in a shared transaction. Returns the entities that still need a separate pass: those to be removed, or all of them if the
 * transaction failed.
 */
async function reconcileTogether(deps: ReconcileDeps, dues: readonly DueEntity[]): Promise<readonly DueEntity[]> {
  const passes = await decidePasses(deps, dues);
  const shared = passes.filter(({ decision }) => !decision.remove);
  if (shared.length > 0 && !(await write(deps, shared))) return dues;
  return passes.filter(({ decision }) => decision.remove).map(({ due }) => due);
}

/** Reads entities and makes a decision for each. Unschedules entities that no longer exist. */
async function decidePasses(deps: ReconcileDeps, dues: readonly DueEntity[]): Promise<Pass[]> {
  const scopes = await readScopes(
    deps.pool,
    dues.map(({ uid }) => uid),
    deps.hasLinks,
  );
  const byUid = new Map(scopes.map((scope) => [scope.entity.uid, scope]));
  const passes: Pass[] = [];
  const gone: string[] = [];
  for (const due of dues) {
    const scope = byUid.get(due.uid);
    const lifecycle = scope === undefined ? undefined : deps.lifecycles[scope.entity.kind];
    if (scope === undefined || lifecycle === undefined) {
      gone.push(due.uid);
      continue;
    }
    const decision = decide(await withAgents(deps, scope), lifecycle, deps.rules, () => createUid(deps.clock.now()));
    passes.push({ due, scope, decision });
  }
  if (gone.length > 0) await forgetDue(deps.pool, gone);
  return passes;
}

/** Writes decisions and notifies watchers and agents. Returns false if another process changed one of the entities in the meantime. */
async function write(deps: ReconcileDeps, passes: readonly Pass[]): Promise<boolean> {
  const written = await writeDecisions(deps, passes);
  if (written === undefined) return false;
  if (written.changed) deps.feed.poke();
  if (written.enqueued) deps.taskSignal.notify();
  if (written.woke || !written.quiet || passes.some(({ decision }) => decision.recheckAfterMs === 0)) deps.wakes.notify();
  return true;
}

/** Adds the list of agents if a task has been ready for a while. Only then does the decision depend on which agents can run it. */
async function withAgents(deps: ReconcileDeps, scope: Scope): Promise<Scope> {
  const waits = scope.tasks.some(({ state, createdAtMs }) => state === "ready" && scope.nowMs - createdAtMs >= placeableAfterMs);
  if (!waits) return scope;
  const agents = await deps.listAgents();
  return { ...scope, agents: agents.filter(({ serves }) => serves === undefined || serves.includes(scope.entity.project)) };
}
