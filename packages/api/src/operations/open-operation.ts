import { nameOperation, renderNewOperation, type EntityJson, type NewOperation } from "@cloudwright/contract";
import { createUid } from "@cloudwright/platform";
import type { OperationInsert } from "@cloudwright/store";
import type { Call } from "../calls/caller.ts";
import type { ApiDeps } from "../deps.ts";
import type { Deed } from "../calls/trace-call.ts";

/** The entity of an operation, as it is after the change. */
export type OperationSubject = NewOperation["subject"];

/** An operation that is about to be written with the change it follows. */
export interface OpenOperation {
  readonly insert: OperationInsert;
  readonly deed: Deed;
}

/** Fields that only operations without changes have: preflights and previews. */
type CandidateField = "candidate" | "candidateName" | "candidateKind" | "findings";

/** Creates an operation that follows a change of an entity until the requested work has ended. */
export async function openOperation(
  deps: Pick<ApiDeps, "clock" | "versions">,
  call: Call,
  verb: "create" | "update" | "delete" | "correct" | "preview" | "preflight",
  subject: OperationSubject,
  { force = false, allow = [], ...look }: Partial<Pick<NewOperation, "force" | "allow" | CandidateField>> = {},
): Promise<OpenOperation> {
  const { project, environment } = subject;
  const nowMs = deps.clock.now();
  const at = new Date(nowMs).toISOString();
  const uid = createUid(nowMs);
  const name = nameOperation(uid);
  const version = await deps.versions.next();
  const actor = call.caller?.user ?? "";
  const request = { verb, actor, force, allow, message: "accepted", subject, ...look };
  const object = renderNewOperation({ uid, at, resourceVersion: version, ...request });
  const row = { uid, kind: "Operation", project, name, parent_uid: null, environment, labels: {} };
  return {
    insert: { uid, project, name, environment, resourceVersion: version, at, object },
    deed: { type: "ADDED", reason: "", message: "", quiet: true, row, oldLabels: null, version, object },
  };
}

/** Returns whether an operation has not ended yet. */
export function isOpen({ status }: EntityJson): boolean {
  return status["state"] === "WAITING" || status["state"] === "RUNNING";
}
