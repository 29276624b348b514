import { findStateVersion, type StateRun } from "@cloudwright/store";
import type { ApiDeps } from "../deps.ts";
import type { JudgedChange } from "../entities/judge.ts";
import type { InstanceHead } from "../documents/read-documents.ts";
import { openContent } from "../states/state-content.ts";

// Limit on the number of versions to read. A failed attempt writes one or two versions.
const mostVersions = 100;

/**
 * Marks resources that a plan recreates because the run that created them failed or was interrupted. Terraform marks such resources as
 * tainted, but users can taint any resource. A resource is therefore considered unfinished only if no earlier version of the state contains
 * it untainted.
 */
export async function markUnfinished(
  deps: Pick<ApiDeps, "pool" | "keyRing" | "documents">,
  { state: { entityUid, project, newest } }: StateRun,
  changes: readonly JudgedChange[],
): Promise<readonly JudgedChange[]> {
  const tainted = new Set(changes.filter(isTainted).map(({ address }) => address));
  if (tainted.size === 0 || newest === undefined) return changes;
  const read = (version: number): Promise<readonly InstanceHead[] | undefined> =>
    readVersion(deps, { entityUid, project }, version);
  const now = (await read(newest.version)) ?? [];
  const candidates = now.filter((instance) => tainted.has(instance.address) && instance.isTainted && instance.id !== undefined);
  const unfinished = await findNeverWhole(candidates, newest.version - 1, read);
  return changes.map((change) =>
    isTainted(change) && unfinished.has(change.address) ? { ...change, unfinished: true } : change,
  );
}

// If the replacement of a complete resource failed, the old and the new object share an address. The plan then also deletes the old
// object. That change is ignored here, because it is not a replacement.
function isTainted({ action, reason }: JudgedChange): boolean {
  return action === "replace" && reason === "replace_because_tainted";
}

/**
 * Returns the addresses of resources that have been tainted since they first appeared. Searches backwards to the version before their
 * first appearance.
 */
async function findNeverWhole(
  candidates: readonly InstanceHead[],
  from: number,
  read: (version: number) => Promise<readonly InstanceHead[] | undefined>,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  let open = candidates;
  for (let version = from; open.length > 0 && version > from - mostVersions; version -= 1) {
    const instances = version === 0 ? [] : await read(version);
    if (instances === undefined) return found;
    const former = findTainted(instances);
    open = open.filter((candidate) => {
      const wasTainted = former.get(identify(candidate));
      if (wasTainted === undefined) found.add(candidate.address);
      return wasTainted === true;
    });
  }
  return found;
}

/** Returns for each resource whether all of its instances are tainted. */
function findTainted(instances: readonly InstanceHead[]): Map<string, boolean> {
  const tainted = new Map<string, boolean>();
  for (const instance of instances) {
    const name = identify(instance);
    tainted.set(name, instance.isTainted && tainted.get(name) !== false);
  }
  return tainted;
}

function identify({ type, id }: InstanceHead): string {
  return JSON.stringify([type, id]);
}

/** Returns the resources in a version. Undefined if they cannot be read, for example because Terraform encrypted the state. */
async function readVersion(
  { pool, keyRing, documents }: Pick<ApiDeps, "pool" | "keyRing" | "documents">,
  { entityUid, project }: { readonly entityUid: string; readonly project: string },
  version: number,
): Promise<readonly InstanceHead[] | undefined> {
  const row = await findStateVersion(pool, entityUid, version);
  if (row === undefined) return undefined;
  const content = await openContent(keyRing, row);
  if (content === undefined) return [];
  return documents.listInstances(project, content, "upload");
}
