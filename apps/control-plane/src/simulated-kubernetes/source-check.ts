import { isUid, type Clock } from "@cloudwright/platform";
import { findCallerByKeyUid, type Pool } from "@cloudwright/store";

/** How long a result is reused. A revoked key keeps working in simulated clusters for at most this long. */
const reuseMs = 2000;
const maxAnswers = 1000;

/**
 * Creates a function that checks whether the API key that requested a kubeconfig is still valid. A source identifies the key as
 * `uid~prefix`, as written by `renderSource` in the API package. Rotating the key changes the prefix.
 */
export function createSourceCheck(deps: {
  readonly pool: Pool;
  readonly clock: Pick<Clock, "now">;
}): (source: string) => Promise<boolean> {
  const answers = new Map<string, { readonly atMs: number; readonly isValid: Promise<boolean> }>();
  return (source) => {
    const nowMs = deps.clock.now();
    const known = answers.get(source);
    if (known !== undefined && nowMs - known.atMs < reuseMs) return known.isValid;
    if (answers.size >= maxAnswers) answers.clear();
    const isValid = checkSource(deps, source);
    answers.set(source, { atMs: nowMs, isValid });
    isValid.catch(() => answers.delete(source));
    return isValid;
  };
}

async function checkSource(
  { pool, clock }: { readonly pool: Pool; readonly clock: Pick<Clock, "now"> },
  source: string,
): Promise<boolean> {
  const [uid = "", prefix] = source.split("~");
  const row = isUid(uid) ? await findCallerByKeyUid(pool, uid) : undefined;
  const isExpired = row?.expires_at != null && row.expires_at.getTime() <= clock.now();
  return row !== undefined && row.prefix === prefix && !row.disabled && !isExpired;
}
