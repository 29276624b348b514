import type { JsonObject } from "./entities.ts";

/** The content of a new operation. */
export interface NewOperation {
  readonly uid: string;
  readonly verb: "create" | "update" | "delete" | "correct" | "repair" | "preview" | "preflight";
  readonly at: string;
  readonly resourceVersion: string;
  readonly actor: string;
  readonly force: boolean;
  /** Risky effects on data or traffic that the request allows without approval. */
  readonly allow?: readonly string[];
  readonly message: string;
  /** For a preview or a preflight: the spec to check. */
  readonly candidate?: JsonObject;
  /** For a preview or preflight of an entity that does not exist: its name. The operation then belongs to the would-be parent. */
  readonly candidateName?: string;
  /** For a preflight: the kind of the entity that does not exist. */
  readonly candidateKind?: string;
  /** For a preflight: the findings so far. */
  readonly findings?: readonly JsonObject[];
  /** The entity, as it is after the change. */
  readonly subject: {
    readonly kind: string;
    readonly uid: string;
    readonly name: string;
    readonly project: string;
    readonly environment: string;
    readonly generation: number;
  };
}

/** Returns the name of an operation with this uid. */
export function nameOperation(uid: string): string {
  return `op-${uid.slice(-12)}`;
}

const plainMetadata = `"paused":false,"deletionProtection":false,"deletionPolicy":"","operation":"","parent":""`;

/**
 * Renders a new operation as the JSON text to be stored. Concatenating text costs a third of serialising an object (0.9 µs
 * instead of 2.7 at every create). This is safe because names and uids contain no characters that JSON escapes.
 */
export function renderNewOperation({
  uid,
  verb,
  at,
  resourceVersion,
  actor,
  force,
  allow = [],
  message,
  candidate,
  candidateName,
  candidateKind,
  findings,
  subject,
}: NewOperation): string {
  const { kind, name, project, environment, generation } = subject;
  const metadata = `"project":"${project}","name":"${nameOperation(uid)}","uid":"${uid}","labels":{},"annotations":{},"generation":1,"resourceVersion":"${resourceVersion}","createdAt":"${at}","updatedAt":"${at}","environment":"${environment}",${plainMetadata}`;
  const spec = `"verb":"${verb}","entityKind":"${kind}","entityUid":"${subject.uid}","entityName":"${name}","entityGeneration":${generation},"actor":${JSON.stringify(actor)},"force":${force},"retries":0,"cancelReason":"","allow":${JSON.stringify(allow)}${candidate === undefined ? "" : `,"candidate":${JSON.stringify(candidate)}`}${candidateName === undefined ? "" : `,"candidateName":"${candidateName}"`}${candidateKind === undefined ? "" : `,"candidateKind":"${candidateKind}"`}`;
  const status = `"state":"WAITING","message":${JSON.stringify(message)},"progressPercent":0,"steps":[],"code":"","abandoned":[],"left":[]${findings === undefined ? "" : `,"findings":${JSON.stringify(findings)}`}`;
  return `{"metadata":{${metadata}},"spec":{${spec}},"status":{${status}}}`;
}
