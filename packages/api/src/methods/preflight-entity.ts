import type { Json, JsonObject, Method } from "@cloudwright/contract";
import { Fault } from "@cloudwright/platform";
import { findEntity, type EntityRow } from "@cloudwright/store";
import { judgeEntity } from "../entities/admit-entity.ts";
import type { Answer } from "../calls/answer.ts";
import type { Call } from "../calls/authorise.ts";
import { invalid } from "../calls/decode.ts";
import type { ApiDeps } from "../deps.ts";
import { apiFaults } from "../faults.ts";
import type { JudgedFinding } from "../entities/judge.ts";
import { openOperation } from "../operations/open-operation.ts";
import { retryStale } from "../entities/retry-stale.ts";
import { rulesOf } from "../kinds/rules.ts";
import { saveEntity } from "../entities/save-entity.ts";
import { notFound, type Target } from "../entities/target.ts";
import { parseEntity } from "../calls/trace-call.ts";
import { draftCreation } from "../entities/draft-entity.ts";
import { readCreation } from "../entities/read-creation.ts";
import { withName } from "./update-entity.ts";

export interface PreflightInput {
  readonly project: string;
  readonly parent: string;
  /** The name of the entity to check. */
  readonly name: string;
  /** The body as the caller sent it. */
  readonly entity: Json;
}

/**
 * Checks an entity as a create request would, and starts an operation that runs further checks. Policy denials are reported as findings
 * and do not fail the call. The operation belongs to the parent, because the entity itself is not stored.
 */
export async function preflightEntity(deps: ApiDeps, call: Call, method: Method, input: PreflightInput): Promise<Answer> {
  const entity = withName(input.entity, input.name);
  const { target, desired } = await readCreation(deps, call, method, { ...input, entity });
  const kind = target.kind.kind;
  if (desired.name !== input.name) {
    throw invalid(`the ${kind}`, [{ field: "metadata.name", message: `must be "${input.name}", the name in the path` }]);
  }
  if (rulesOf(kind).isForeign?.(desired.spec) === true) {
    const message =
      "has no preflight checks, because an import changes nothing in the cloud; create the entity to import the cluster";
    throw invalid(`the ${kind}`, [{ field: "spec.existing", message }]);
  }
  const { draft, candidate } = await draftCreation(deps, call, target, desired, { entity });
  const judged = await judgeEntity(deps, call, target, candidate);
  const findings = [...(await findNamesake(deps, target, input.name)), ...judged.map(describeJudged)];
  return retryStale(deps, `${kind} "${input.name}"`, async () => {
    const row = await getParent(deps, target, candidate.parent?.uid ?? "");
    const parent = parseEntity(row.object);
    // Access to the operation depends on the environment of the checked entity, not on that of the parent.
    const { environment } = draft.columns;
    const subject = { ...row, environment, generation: parent.metadata.generation ?? 0 };
    const opened = await openOperation(deps, call, "preflight", subject, {
      candidate: draft.entity.spec,
      candidateName: input.name,
      candidateKind: kind,
      findings,
    });
    const saved = await saveEntity(deps, call, method, {
      row,
      entity: parent,
      environmentUid: row.environment_uid,
      sealed: row.sealed,
      opened,
      isBeside: true,
      // The parent itself does not change, so the audit record names the checked entity.
      audited: { kind, name: input.name },
      reason: "",
      message: "",
    });
    if (saved === undefined) return undefined;
    const { name, object, resourceVersion } = opened.insert;
    return { body: object, version: resourceVersion, operation: { project: row.project, name } };
  });
}

async function getParent({ pool }: ApiDeps, { kind, project }: Target, ref: string): Promise<EntityRow> {
  const parentKind = kind.parent?.kind ?? "";
  const row = await findEntity(pool, { kind: parentKind, project, namingScope: "", ref });
  if (row === undefined) throw notFound(parentKind, ref);
  if (row.deleted_at !== null) throw new Fault(apiFaults.being_deleted, `${row.kind} "${row.name}" is being deleted`);
  return row;
}

async function findNamesake({ pool }: ApiDeps, { kind, project, namingScope }: Target, name: string): Promise<JsonObject[]> {
  const taken = await findEntity(pool, { kind: kind.kind, project, namingScope, ref: name });
  if (taken === undefined) return [];
  const message = `${kind.kind} "${name}" already exists`;
  return [{ field: "metadata.name", message, help: "Choose another name.", severity: "must" }];
}

function describeJudged({ path, message, fix, severity, rule }: JudgedFinding): JsonObject {
  return { field: path, message, help: fix, severity, rule };
}
