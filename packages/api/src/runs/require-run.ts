import type { Method } from "@cloudwright/contract";
import { isUid } from "@cloudwright/platform";
import { findRun, type RunRow } from "@cloudwright/store";
import type { Call } from "../calls/authorise.ts";
import type { ApiDeps } from "../deps.ts";
import { requirePlaced, type PlacedRef } from "../entities/require-placed.ts";

/** Returns the requested run. A caller without access gets the same fault as for an unknown run. */
export function requireRun(deps: Pick<ApiDeps, "pool">, call: Call, method: Method, ref: PlacedRef): Promise<RunRow> {
  return requirePlaced(deps, call, method, { ...ref, kind: "Run" }, () =>
    isUid(ref.name) ? findRun(deps.pool, ref.project, ref.name) : Promise.resolve(undefined),
  );
}
