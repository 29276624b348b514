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

/** Database reads that concurrent requests can share. */
export interface SharedReads {
  findCallerByKey(hash: Buffer): Promise<CallerRow | undefined>;
  findReferences(references: readonly Reference[]): Promise<readonly (ReferenceRow | undefined)[]>;
  findLineage(uid: string): Promise<readonly LineageRow[]>;
}

const readsOf = new WeakMap<Pool, SharedReads>();

/**
 * Returns the shared reads for a pool. Concurrent reads of the same rows share one statement, because statements dominate the cost of a
 * small request. Nothing is cached: a request never uses the result of a statement that started before it.
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
