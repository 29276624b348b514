import { isCloudFault } from "../../library/errors.ts";
import { waitFor } from "../../library/wait-for.ts";
import { toOperationFault } from "../errors.ts";
import type { Operation } from "../models.ts";
import { lastPart } from "../resource-names.ts";
import type { GcpContext } from "./context.ts";
import { pathOfCluster, type GkePlace } from "./read-gke.ts";

/** A change that GKE has accepted and is processing. */
export interface GkeOperation {
  readonly name?: string;
  readonly status?: string;
  readonly statusMessage?: string;
  readonly error?: { readonly code?: number; readonly message?: string };
}

/** Names of the numeric codes in GKE's operations. */
const canonicalCodes: readonly string[] = [
  "OK",
  "CANCELLED",
  "UNKNOWN",
  "INVALID_ARGUMENT",
  "DEADLINE_EXCEEDED",
  "NOT_FOUND",
  "ALREADY_EXISTS",
  "PERMISSION_DENIED",
  "RESOURCE_EXHAUSTED",
  "FAILED_PRECONDITION",
  "ABORTED",
  "OUT_OF_RANGE",
  "UNIMPLEMENTED",
  "INTERNAL",
  "UNAVAILABLE",
  "DATA_LOSS",
  "UNAUTHENTICATED",
];

/**
 * Returns whether a GKE operation is done. Throws if it failed. An operation that GKE no longer knows counts as done. In that case, the
 * state of the cluster shows the outcome.
 */
export async function isOperationDone(
  { api }: GcpContext,
  { project, location }: Pick<GkePlace, "project" | "location">,
  name: string,
  { doing, signal }: { readonly doing: string; readonly signal: AbortSignal | undefined },
): Promise<boolean> {
  const operation = await api.find<GkeOperation>(`follow the operation ${name}`, {
    service: "container",
    action: "projects.locations.operations.get",
    path: `projects/${project}/locations/${location}/operations/${lastPart(name)}`,
    signal,
  });
  checkOperation(doing, operation ?? {});
  return operation === undefined || operation.status === "DONE";
}

/** Throws the fault for a failed operation. */
export function checkOperation(doing: string, { name = "", error }: GkeOperation): void {
  if (error === undefined || (error.code ?? 0) === 0) return;
  const { code = 0, message = "" } = error;
  throw toOperationFault(doing, { code: canonicalCodes[code] ?? String(code), message, requestId: name });
}

/** A change to send to GKE. */
export interface GkeChange {
  /** Completes the message "Google Cloud could not ...". */
  readonly doing: string;
  readonly action: string;
  readonly method: "POST" | "PUT";
  /** Path relative to the cluster's path, such as `/nodePools/default:setSize`. */
  readonly suffix: string;
  readonly body: object;
}

export interface ChangeLimits {
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * Sends a change and waits until GKE has finished it, or only until GKE has accepted it. GKE carries out one change to a cluster at a time,
 * so a change that GKE rejects for this reason is sent again later.
 */
export async function changeCluster(
  context: GcpContext,
  place: GkePlace,
  { doing, action, method, suffix, body }: GkeChange,
  { timeoutMs, signal }: ChangeLimits,
  isAwaited = true,
): Promise<void> {
  const path = `${pathOfCluster(place)}${suffix}`;
  let operation: string | undefined;
  await waitFor(context.clock, {
    cloud: "gcp",
    timeoutMs,
    signal,
    describe: () => `the GKE cluster ${place.name} is still being changed`,
    async read() {
      if (operation === undefined) {
        try {
          const sent = await context.api.call<GkeOperation>(doing, { service: "container", action, method, path, body, signal });
          checkOperation(doing, sent);
          operation = sent.name ?? "";
          if (!isAwaited || sent.status === "DONE" || operation === "") return true;
        } catch (error) {
          // An outdated fingerprint is a conflict that waiting does not resolve.
          if (isCloudFault(error, "conflict") && error.extra.status !== 412) return false;
          throw error;
        }
      }
      return isOperationDone(context, place, operation, { doing, signal });
    },
    isDone: (isFinished) => isFinished,
  });
}

/** Returns whether an operation in a zone is done. Throws if it failed. */
export async function isZoneOperationDone(
  context: GcpContext,
  { project = context.project, zone, name }: { readonly project?: string; readonly zone: string; readonly name: string },
  call: { readonly doing: string; readonly signal: AbortSignal | undefined },
): Promise<boolean> {
  return isComputeOperationDone(context, { scope: `projects/${project}/zones/${zone}`, name }, call);
}

/** Returns whether a Compute Engine operation is done. `scope` is the path of its zone, or `projects/p/global`. Throws if it failed. */
export async function isComputeOperationDone(
  { api }: GcpContext,
  { scope, name }: { readonly scope: string; readonly name: string },
  { doing, signal }: { readonly doing: string; readonly signal: AbortSignal | undefined },
): Promise<boolean> {
  const operation = await api.find<Operation>(`follow the operation ${name}`, {
    service: "compute",
    action: scope.endsWith("/global") ? "globalOperations.get" : "zoneOperations.get",
    path: `${scope}/operations/${lastPart(name)}`,
    signal,
  });
  checkZoneOperation(doing, operation ?? {});
  return operation === undefined || operation.status === "DONE";
}

/** Throws the fault for a failed Compute Engine operation. */
export function checkZoneOperation(doing: string, operation: Operation): void {
  const [problem] = operation.error?.errors ?? [];
  if (problem === undefined) return;
  const { code = "", message = "" } = problem;
  const status = operation.httpErrorStatusCode ?? 0;
  throw toOperationFault(doing, { code, message, status, requestId: operation.name ?? "" });
}
