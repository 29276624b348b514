import { nameOperation, renderNewOperation, type EntityJson, type NewOperation } from "@cloudwright/contract";
import { createUid } from "@cloudwright/platform";
import type { OperationInsert } from "@cloudwright/store";
import type { Call } from "../calls/authorise.ts";
import type { ApiDeps } from "../deps.ts";
import type { Deed } from "../calls/trace-call.ts";

/** The entity that an operation acts on, after the requested change. */
export type OperationSubject = NewOperation["subject"];

/** A new operation, ready to be written together with the requested change. */
export interface OpenOperation {
  readonly insert: OperationInsert;
  readonly deed: Deed;
}

/** Operation fields that only preflights, previews, discoveries, work on images and repairs of single resources use. */
type CandidateField =
  | "candidate"
  | "candidateName"
  | "candidateKind"
  | "deletion"
  | "findings"
  | "repair"
  | "discoverRegion"
  | "imageWork";

/** Creates an operation that tracks a request until its work has ended. */
export async function openOperation(
  deps: Pick<ApiDeps, "clock" | "versions">,
  call: Call,
  verb: Exclude<NewOperation["verb"], "repair">,
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

/** Returns whether an operation is still waiting or running. */
export function isOpen({ status }: EntityJson): boolean {
  return status["state"] === "WAITING" || status["state"] === "RUNNING";
}
