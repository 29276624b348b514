import type { JsonObject } from "./entities.ts";

export interface NewOperation {
  readonly uid: string;
  readonly verb:
    | "create"
    | "update"
    | "delete"
    | "correct"
    | "repair"
    | "check"
    | "preview"
    | "preflight"
    | "discover"
    | "images"
    | "adopt"
    | "forget";
  readonly at: string;
  readonly resourceVersion: string;
  readonly actor: string;
  readonly force: boolean;
  /** Risky effects on data or traffic that the request allows without approval. */
  readonly allow?: readonly string[];
  readonly message: string;
  /** Spec to check in a preview or preflight. */
  readonly candidate?: JsonObject;
  /** Name of the new entity in a preview or preflight. If set, the operation belongs to the entity's parent. */
  readonly candidateName?: string;
  /** Kind of the new entity in a preflight. */
  readonly candidateKind?: string;
  /** True for the preview of a deletion. */
  readonly deletion?: boolean;
  /** Preflight findings that are already known when the operation is created. */
  readonly findings?: readonly JsonObject[];
  /** The resource to adopt or forget. */
  readonly repair?: { readonly address: string; readonly id: string; readonly dryRun: boolean };
  /** Region in which to discover clusters. It consists of letters, digits and hyphens. */
  readonly discoverRegion?: string;
  /** What to do with the images of a machine. */
  readonly imageWork?: JsonObject;
  /** The entity that the operation changes, as it is after the change. */
  readonly subject: {
    readonly kind: string;
    readonly uid: string;
    readonly name: string;
    readonly project: string;
    readonly environment: string;
    readonly generation: number;
  };
}

/** Returns the name of the operation with this uid. */
export function nameOperation(uid: string): string {
  return `op-${uid.slice(-12)}`;
}

const plainMetadata = `"paused":false,"deletionProtection":false,"deletionPolicy":"","operation":"","parent":""`;

/**
 * Renders a new operation as JSON text for storage. Concatenating strings takes a third as long as serialising an object (0.9 µs instead of
 * 2.7 µs per create request). Concatenation is safe because names and uids contain no characters that JSON escapes.
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
  deletion = false,
  findings,
  repair,
  discoverRegion,
  imageWork,
  subject,
}: NewOperation): string {
  const { kind, name, project, environment, generation } = subject;
  const metadata = `"project":"${project}","name":"${nameOperation(uid)}","uid":"${uid}","labels":{},"annotations":{},"generation":1,"resourceVersion":"${resourceVersion}","createdAt":"${at}","updatedAt":"${at}","environment":"${environment}",${plainMetadata}`;
  const spec = `"verb":"${verb}","entityKind":"${kind}","entityUid":"${subject.uid}","entityName":"${name}","entityGeneration":${generation},"actor":${JSON.stringify(actor)},"force":${force},"retries":0,"cancelReason":"","allow":${JSON.stringify(allow)}${candidate === undefined ? "" : `,"candidate":${JSON.stringify(candidate)}`}${candidateName === undefined ? "" : `,"candidateName":"${candidateName}"`}${candidateKind === undefined ? "" : `,"candidateKind":"${candidateKind}"`}${deletion ? ',"deletion":true' : ""}${repair === undefined ? "" : `,"repair":${JSON.stringify(repair)}`}${discoverRegion === undefined ? "" : `,"discoverRegion":"${discoverRegion}"`}${imageWork === undefined ? "" : `,"imageWork":${JSON.stringify(imageWork)}`}`;
  const status = `"state":"WAITING","message":${JSON.stringify(message)},"progressPercent":0,"steps":[],"code":"","abandoned":[],"left":[]${findings === undefined ? "" : `,"findings":${JSON.stringify(findings)}`}`;
  return `{"metadata":{${metadata}},"spec":{${spec}},"status":{${status}}}`;
}
