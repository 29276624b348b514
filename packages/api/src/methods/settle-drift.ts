import { getEntitySchema, getKind, type EntityJson, type Json, type JsonObject, type Method } from "@cloudwright/contract";
import { Fault } from "@cloudwright/platform";
import { acceptDrift as endAsAccepted, findEntity, tryTransaction, type DriftRow, type EntityRow } from "@cloudwright/store";
import { admitEntity } from "../entities/admit-entity.ts";
import type { Answer } from "../calls/answer.ts";
import { requireCaller, type Call } from "../calls/authorise.ts";
import { decode } from "../calls/decode.ts";
import type { ApiDeps } from "../deps.ts";
import { requireDrift, requireOpenDrift } from "../drifts/require-drift.ts";
import { renderDrift } from "../drifts/render-drift.ts";
import { readDesired } from "../entities/entity-json.ts";
import { apiFaults } from "../faults.ts";
import { getAt, isObject, setAt, textAt } from "../entities/json-tree.ts";
import { openOperation } from "../operations/open-operation.ts";
import type { PlacedRef } from "../entities/require-placed.ts";
import { retryStale } from "../entities/retry-stale.ts";
import { rulesOf } from "../kinds/rules.ts";
import { saveEntityIn, type Save } from "../entities/save-entity.ts";
import { notFound } from "../entities/target.ts";
import { parseEntity } from "../calls/trace-call.ts";

/** Accepts drift: adds ignore rules for the drifted attributes to the entity and starts an operation that applies them. */
export function acceptDrift(deps: ApiDeps, call: Call, method: Method, input: PlacedRef): Promise<Answer> {
  return settle(deps, call, method, input, async (drift, row) => {
    const current = parseEntity(row.object);
    const owner = `accepted by ${requireCaller(call).user}`;
    const desired = setAt(current.spec, ["infra", "ignore"], addRules(current.spec, listRules(drift, owner)));
    const given = { metadata: { name: row.name }, spec: desired };
    const { spec } = readDesired(row.kind, decode(getEntitySchema(row.kind), given, `the ${row.kind}`));
    const generation = (current.metadata.generation ?? 0) + 1;
    const entity: EntityJson = { ...current, spec, metadata: { ...current.metadata, generation } };
    const { told } = await admitEntity(
      deps,
      call,
      { kind: getKind(row.kind), project: row.project },
      {
        entity,
        before: current.spec,
        environments: [row.environment],
        parent: row.parent_uid === null ? undefined : { uid: row.parent_uid },
      },
    );
    return { entity, told, verb: "update", reason: "DriftAccepted", message: `drift ${drift.uid} was accepted` };
  });
}

/** Corrects drift: starts an operation that restores the infrastructure described by the spec. The spec does not change. */
export function correctDrift(deps: ApiDeps, call: Call, method: Method, input: PlacedRef): Promise<Answer> {
  return settle(deps, call, method, input, async (drift, row) => {
    const entity = parseEntity(row.object);
    if (rulesOf(row.kind).isReadOnly?.(entity.spec) === true)
      throw new Fault(apiFaults.only_observed, `the platform only observes ${row.kind} "${row.name}" and changes nothing in it`);
    const message = `correction of drift ${drift.uid} requested`;
    return { entity, verb: "correct", reason: "DriftCorrectionRequested", message };
  });
}

type Settled = Pick<Save, "entity" | "told" | "reason" | "message"> & { readonly verb: "update" | "correct" };

async function settle(
  deps: ApiDeps,
  call: Call,
  method: Method,
  input: PlacedRef,
  decide: (drift: DriftRow, row: EntityRow) => Promise<Settled>,
): Promise<Answer> {
  return retryStale(deps, `Drift "${input.name}"`, async () => {
    const drift = await requireOpenDrift(deps, call, method, input);
    const row = await findEntity(deps.pool, { kind: drift.kind, project: drift.project, namingScope: "", ref: drift.entityUid });
    if (row === undefined) throw notFound("Drift", input.name);
    if (row.deleted_at !== null) throw new Fault(apiFaults.being_deleted, `${row.kind} "${row.name}" is being deleted`);
    const { verb, ...settled } = await decide(drift, row);
    const generation = settled.entity.metadata.generation ?? 0;
    const opened = await openOperation(deps, call, verb, { ...row, generation });
    const saved = await tryTransaction(deps.pool, async (database) => {
      const answer = await saveEntityIn(database, deps, call, method, {
        ...settled,
        row,
        environmentUid: row.environment_uid,
        sealed: row.sealed,
        opened,
      });
      const isEnded = answer !== undefined && (verb === "correct" || (await endAsAccepted(database, drift.uid)));
      return isEnded ? answer : undefined;
    });
    if (saved === undefined) return undefined;
    deps.feed.poke();
    deps.wakes.notify();
    const body = JSON.stringify(renderDrift(await requireDrift(deps, call, method, { ...input, name: drift.uid })));
    return { body, operation: { project: row.project, name: opened.insert.name } };
  });
}

function listRules({ uid, items }: DriftRow, owner: string): JsonObject[] {
  const gone = items.find(({ action }) => action === "delete");
  if (gone !== undefined)
    throw new Fault(apiFaults.drift_not_acceptable, `drift ${uid} cannot be accepted: ${gone.address} was deleted`);
  const rules = items.flatMap(({ address, paths }) => paths.map((path) => ({ address, path, owner })));
  if (rules.length > 0) return rules;
  throw new Fault(apiFaults.drift_not_acceptable, `drift ${uid} cannot be accepted: its report does not name any attribute`);
}

function addRules(spec: JsonObject, rules: readonly JsonObject[]): Json[] {
  const former = getAt(spec, ["infra", "ignore"]);
  const kept = Array.isArray(former) ? former : [];
  const known = new Set(kept.filter((rule) => isObject(rule)).map(identify));
  return [...kept, ...rules.filter((rule) => !known.has(identify(rule)))];
}

function identify(rule: JsonObject): string {
  return JSON.stringify([textAt(rule, "address"), textAt(rule, "path")]);
}
