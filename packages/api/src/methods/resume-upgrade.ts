import type { EntityJson, JsonObject, Method } from "@cloudwright/contract";
import { Fault } from "@cloudwright/platform";
import { findEntity, lockEntities, tryTransaction, wakeEntities, type EntityRow } from "@cloudwright/store";
import type { Answer } from "../calls/answer.ts";
import type { Call } from "../calls/authorise.ts";
import { invalid } from "../calls/decode.ts";
import { parseEntity } from "../calls/trace-call.ts";
import type { ApiDeps } from "../deps.ts";
import { apiFaults } from "../faults.ts";
import { getAt, isObject, textAt } from "../entities/json-tree.ts";
import { retryStale } from "../entities/retry-stale.ts";
import { saveEntityIn } from "../entities/save-entity.ts";
import { requireEntity, resolveTarget } from "../entities/target.ts";

export interface ResumeInput {
  readonly project: string;
  readonly parent: string;
  readonly name: string;
  readonly dryRun: boolean;
  /** Names of gates to skip for the rest of the upgrade. */
  readonly skipGates: readonly string[];
}

/** Continues a paused upgrade: its operation checks the nodes and runs the gates again, except those that the request skips. */
export async function resumeUpgrade(deps: ApiDeps, call: Call, method: Method, input: ResumeInput): Promise<Answer> {
  const target = await resolveTarget(deps, call, method, input);
  return retryStale(deps, `${method.kind} "${input.name}"`, async () => {
    const row = await requireEntity(deps, call, target, input.name);
    const cluster = parseEntity(row.object);
    checkGates(cluster.spec, input.skipGates);
    const operation = await requirePaused(deps, row, cluster);
    const answer = { body: row.object, version: row.resource_version };
    if (input.dryRun) return answer;
    const { metadata, spec, status } = parseEntity(operation.object);
    const resumes = Number(getAt(spec, ["resumes"]) ?? 0) + 1;
    const skipGates = [...new Set([...listTexts(spec["skipGates"]), ...input.skipGates])];
    const skipped = input.skipGates.length === 0 ? "" : `; skipping ${input.skipGates.join(", ")}`;
    const saved = await tryTransaction(deps.pool, async (database) => {
      await lockEntities(database, [row.uid]);
      const kept = await saveEntityIn(database, deps, call, method, {
        row: operation,
        entity: { metadata, spec: { ...spec, resumes, skipGates }, status: { ...status, message: "the upgrade was resumed" } },
        environmentUid: operation.environment_uid,
        sealed: operation.sealed,
        reason: input.skipGates.length === 0 ? "UpgradeResumed" : "GatesSkipped",
        message: `the upgrade of ${row.kind} "${row.name}" was resumed${skipped}`,
        audited: { kind: row.kind, name: row.name },
      });
      if (kept !== undefined) await wakeEntities(database, [row.uid]);
      return kept;
    });
    if (saved === undefined) return undefined;
    deps.feed.poke();
    deps.wakes.notify();
    return { ...answer, operation: { project: operation.project, name: operation.name } };
  });
}

function checkGates(spec: JsonObject, skipped: readonly string[]): void {
  const gates = getAt(spec, ["upgrade", "gates"]);
  const names = (Array.isArray(gates) ? gates.filter(isObject) : []).map((gate) => textAt(gate, "name"));
  const unknown = skipped.find((name) => !names.includes(name));
  if (unknown === undefined) return;
  const known = names.length === 0 ? "it has none" : `it has ${names.join(", ")}`;
  throw invalid("the request", [{ field: "skipGates", message: `the cluster has no gate "${unknown}"; ${known}` }]);
}

/** Returns the operation of a paused upgrade. Throws if the cluster's upgrade is not paused. */
async function requirePaused(
  { pool }: Pick<ApiDeps, "pool">,
  row: EntityRow,
  { metadata, status }: EntityJson,
): Promise<EntityRow> {
  const conditions = (status["conditions"] ?? []) as readonly JsonObject[];
  const isPaused = conditions.some((each) => each["type"] === "UpgradePaused" && each["status"] === "True");
  const { project = "", operation: ref = "" } = metadata;
  const operation = isPaused ? await findEntity(pool, { kind: "Operation", project, namingScope: "", ref }) : undefined;
  const state = operation === undefined ? "" : textAt(parseEntity(operation.object).status, "state");
  if (operation !== undefined && (state === "WAITING" || state === "RUNNING")) return operation;
  throw new Fault(apiFaults.upgrade_not_paused, `${row.kind} "${row.name}" has no paused upgrade`);
}

function listTexts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}
