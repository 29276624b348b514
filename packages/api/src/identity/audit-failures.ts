import { insertAudit } from "@cloudwright/store";
import type { ApiDeps } from "../deps.ts";
import { auditOf } from "../calls/trace-call.ts";
import { sourceNetwork } from "./source-network.ts";

/** Audits calls whose credential was rejected. */
export interface FailureAudit {
  /** Writes a record unless this source has reached its limit. Never throws or rejects. */
  record(call: { readonly source: string; readonly requestId: string; readonly code: string }): Promise<void>;
}

const windowMs = 60_000;
const recordsPerWindow = 10;

/**
 * Creates the audit of rejected credentials. It writes at most ten records a minute per source, so that guessing does not fill
 * the disk.
 */
export function createFailureAudit(
  deps: Pick<ApiDeps, "pool" | "clock" | "log">,
  options: { readonly maxSources?: number } = {},
): FailureAudit {
  const { maxSources = 10_000 } = options;
  /** Times of the latest records by source, ordered by the time of the last record. */
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
