import { listClusterTypes } from "@cloudwright/contract";
import type { Json, JsonObject } from "@cloudwright/contract";
import { Fault } from "@cloudwright/platform";
import { openSimulatedCluster, type SimulatingRun } from "@cloudwright/store";
import type { ApiDeps } from "../deps.ts";
import { apiFaults } from "../faults.ts";
import { textAt } from "../entities/json-tree.ts";
import type { SimulatedClusterEndpoint } from "./simulated-kubernetes.ts";

/** Selects which of a cluster's connection details to return to the run. */
export type ClusterQuestion = (endpoint: SimulatedClusterEndpoint) => JsonObject;

/** Placeholder for the version until the cluster exists in its cloud. Nothing reads the version before then. */
const firstVersion = "v1.34.2";

/**
 * Returns connection details for the Kubernetes API of a simulated cluster. A run may request them before it has created the cluster. The
 * body is `{"region": ..., "name": ...}`.
 */
export async function openCluster(
  deps: Pick<ApiDeps, "pool" | "clock" | "simulatedKubernetes">,
  accountUid: string,
  run: SimulatingRun,
  body: unknown,
  answer: ClusterQuestion,
): Promise<{ readonly body: string } | { readonly refused: "ended" | "real" | "lapsed" }> {
  const place = { accountUid, region: readText(body, "region"), name: readText(body, "name") };
  if (deps.simulatedKubernetes === undefined)
    throw new Fault(apiFaults.clusters_not_served, "no replica serves simulated clusters");
  const given = { version: firstVersion, createdAtMs: deps.clock.now(), recordTypes: listClusterTypes().clusters };
  const opened = await openSimulatedCluster(deps.pool, run, place, given);
  if ("refused" in opened) return opened;
  const door = await deps.simulatedKubernetes.open(opened.cluster);
  deps.simulatedKubernetes.notify();
  return { body: JSON.stringify(answer(door)) };
}

function readText(body: unknown, name: string): string {
  const text = textAt((body ?? null) as Json, name);
  if (/^[\w.-]{1,128}$/.test(text)) return text;
  throw new Fault(apiFaults.simulation_malformed, `the body must have a "${name}" of 1 to 128 letters, digits, dots and dashes`);
}
