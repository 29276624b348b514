import { share } from "@cloudwright/platform";
import {
  findCallerByKey,
  findLineage,
  findReferences,
  type CallerRow,
  type LineageRow,
  type Pool,
  type Reference,
  type ReferenceRow,
} from "@cloudwright/store";

/** Reads that many concurrent requests have in common: the holder of a key, and the references of a new entity. */
export interface SharedReads {
  findCallerByKey(hash: Buffer): Promise<CallerRow | undefined>;
  findReferences(references: readonly Reference[]): Promise<readonly (ReferenceRow | undefined)[]>;
  findLineage(uid: string): Promise<readonly LineageRow[]>;
}

const readsOf = new WeakMap<Pool, SharedReads>();

/**
 * Returns the shared reads of a pool. Concurrent requests for the same rows share a statement, because statements are most of the
 * cost of a small request.
 * Nothing is cached: a statement starts after every request that it answers has arrived.
 */
export function sharedReads(pool: Pool): SharedReads {
  const known = readsOf.get(pool);
  if (known !== undefined) return known;
  const callers = share<CallerRow | undefined>();
  const references = share<readonly (ReferenceRow | undefined)[]>();
  const lineages = share<readonly LineageRow[]>();
  const reads: SharedReads = {
    findCallerByKey: (hash) => callers(hash.toString("latin1"), () => findCallerByKey(pool, hash)),
    findReferences: (wanted) => references(JSON.stringify(wanted), () => findReferences(pool, wanted)),
    findLineage: (uid) => lineages(uid, () => findLineage(pool, uid)),
  };
  readsOf.set(pool, reads);
  return reads;
}
