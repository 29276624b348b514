import type { Method } from "@cloudwright/contract";
import { Fault, isUid } from "@cloudwright/platform";
import { findDrift, type DriftRow } from "@cloudwright/store";
import type { Call } from "../calls/authorise.ts";
import type { ApiDeps } from "../deps.ts";
import { apiFaults } from "../faults.ts";
import { requirePlaced, type PlacedRef } from "../entities/require-placed.ts";

/** Returns the requested drift report. A caller without access gets the same fault as for an unknown report. */
export function requireDrift(deps: Pick<ApiDeps, "pool">, call: Call, method: Method, ref: PlacedRef): Promise<DriftRow> {
  return requirePlaced(deps, call, method, { ...ref, kind: "Drift" }, () =>
    isUid(ref.name) ? findDrift(deps.pool, ref.project, ref.name) : Promise.resolve(undefined),
  );
}

/** Like `requireDrift`, but also throws if the report is no longer open. */
export async function requireOpenDrift(
  deps: Pick<ApiDeps, "pool">,
  call: Call,
  method: Method,
  ref: PlacedRef,
): Promise<DriftRow> {
  const drift = await requireDrift(deps, call, method, ref);
  if (drift.endedAs === null) return drift;
  throw new Fault(apiFaults.drift_ended, `drift ${drift.uid} is already ${drift.endedAs}`);
}
