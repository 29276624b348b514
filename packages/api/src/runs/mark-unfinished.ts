import { findStateVersion, type StateRun } from "@cloudwright/store";
import type { ApiDeps } from "../deps.ts";
import type { JudgedChange } from "../entities/judge.ts";
import { listInstances, parseState, type ResourceInstance } from "../states/parse-state.ts";
import { openContent } from "../states/state-content.ts";

// Each failed attempt writes a version or two, and leaves another resource unfinished.
const mostVersions = 100;

/**
 * Marks resources that a plan recreates because the run that created them failed or was interrupted. Terraform calls them
 * tainted, but users can taint any resource.
 * Only a resource that no earlier version of the state contains as complete counts as unfinished.
 */
export async function markUnfinished(
  deps: Pick<ApiDeps, "pool" | "keyRing">,
  { state: { entityUid, newest } }: StateRun,
  changes: readonly JudgedChange[],
): Promise<readonly JudgedChange[]> {
  const tainted = new Set(changes.filter(isTainted).map(({ address }) => address));
  if (tainted.size === 0 || newest === undefined) return changes;
  const read = (version: number): Promise<readonly ResourceInstance[] | undefined> => readVersion(deps, entityUid, version);
  const now = (await read(newest.version)) ?? [];
  const candidates = now.filter((instance) => tainted.has(instance.address) && instance.isTainted && instance.id !== undefined);
  const unfinished = await findNeverWhole(candidates, newest.version - 1, read);
  return changes.map((change) =>
    isTainted(change) && unfinished.has(change.address) ? { ...change, unfinished: true } : change,
  );
}

// A complete resource that is replaced because its successor failed has the same address, but is deleted, not replaced.
function isTainted({ action, reason }: JudgedChange): boolean {
  return action === "replace" && reason === "replace_because_tainted";
}

/**
 * Returns the addresses of resources that were unfinished when they first appeared. Each is followed back to the version that
 * does not contain it yet.
 */
async function findNeverWhole(
  candidates: readonly ResourceInstance[],
  from: number,
  read: (version: number) => Promise<readonly ResourceInstance[] | undefined>,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  let open = candidates;
  for (let version = from; open.length > 0 && version > from - mostVersions; version -= 1) {
    const instances = version === 0 ? [] : await read(version);
    if (instances === undefined) return found;
    open = open.filter(({ address, type, id }) => {
      const before = instances.filter((instance) => instance.type === type && instance.id === id);
      if (before.length === 0) found.add(address);
      return before.length > 0 && before.every((instance) => instance.isTainted);
    });
  }
  return found;
}

/** Returns the contents of a version. Undefined if they cannot be read, for example because Terraform encrypted them. */
async function readVersion(
  { pool, keyRing }: Pick<ApiDeps, "pool" | "keyRing">,
  entityUid: string,
  version: number,
): Promise<readonly ResourceInstance[] | undefined> {
  const row = await findStateVersion(pool, entityUid, version);
  if (row === undefined) return undefined;
  const content = await openContent(keyRing, row);
  if (content === undefined) return [];
  const state = parseState(content);
  return Array.isArray(state["resources"]) ? listInstances(state) : undefined;
}
