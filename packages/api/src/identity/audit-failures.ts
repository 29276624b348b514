import { sourceNetwork } from "@cloudwright/platform";
import { insertAudit } from "@cloudwright/store";
import type { ApiDeps } from "../deps.ts";
import { auditOf } from "../calls/trace-call.ts";

export interface FailureAudit {
  /** Writes an audit record unless the source has reached its limit. The promise never rejects. */
  record(call: { readonly source: string; readonly requestId: string; readonly code: string }): Promise<void>;
}

const windowMs = 60_000;
const recordsPerWindow = 10;

/**
 * Creates the audit log for rejected credentials. It writes at most ten records per source per minute, so that guessing attempts cannot
 * fill the disk.
 */
export function createFailureAudit(
  deps: Pick<ApiDeps, "pool" | "clock" | "log">,
  options: { readonly maxSources?: number } = {},
): FailureAudit {
  const { maxSources = 10_000 } = options;
  /** Times of recent records, keyed by source. Sources are ordered by their latest record, oldest first. */
  const written = new Map<string, readonly number[]>();

  const isDue = (source: string): boolean => {
    const nowMs = deps.clock.now();
    const recent = (written.get(source) ?? []).filter((at) => nowMs - at < windowMs);
    if (recent.length >= recordsPerWindow) return false;
    written.delete(source);
    const [oldest] = written.keys();
    if (oldest !== undefined && written.size >= maxSources) written.delete(oldest);
    written.set(source, [...recent, nowMs]);
    return true;
  };

  return {
    async record({ source, requestId, code }) {
      try {
        if (!isDue(sourceNetwork(source))) return;
        const call = { caller: undefined, source, requestId };
        const target = { project: "", name: "", uid: null };
        await insertAudit(deps.pool, auditOf(deps, call, { verb: "authenticate", kind: "Identity" }, target, "denied", code));
      } catch (error) {
        deps.log.warn({ err: error, requestId }, "a rejected credential could not be audited");
      }
    },
  };
}
