import { timeText, type KubeObject } from "../cluster/kube-object.ts";
import type { ClusterState } from "../cluster/cluster-state.ts";
import { storageKey } from "../kinds/kinds.ts";
import type { Answer, ResourceCall } from "./call.ts";
import { ok } from "./call.ts";
import { parseBody } from "./patch.ts";
import { changedMeanwhile, conflict } from "./status-error.ts";
import { getObject } from "./update.ts";

export interface DeleteOptions {
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: string;
  readonly preconditions?: { uid?: string; resourceVersion?: string };
  readonly dryRun?: readonly string[];
  readonly orphanDependents?: boolean;
}

/** Reads DeleteOptions from the body and the query. */
export function readDeleteOptions(call: ResourceCall): DeleteOptions {
  const body = call.body.length === 0 ? {} : (parseBody(call) as DeleteOptions);
  const grace = call.query.get("gracePeriodSeconds");
  const policy = call.query.get("propagationPolicy");
  return {
    ...body,
    ...(grace !== null && { gracePeriodSeconds: Number(grace) }),
    ...(policy !== null && { propagationPolicy: policy }),
    ...(call.query.get("dryRun") === "All" && { dryRun: ["All"] }),
  };
}

/** Deletes an object. While it has finalizers, the object is only marked as being deleted. */
export function deleteObject(call: ResourceCall, options: DeleteOptions): Answer {
  const object = getObject(call);
  const { uid, resourceVersion } = options.preconditions ?? {};
  if (uid !== undefined && uid !== object.metadata.uid) {
    throw conflict(
      call.kind,
      call.name,
      `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${object.metadata.uid}`,
    );
  }
  if (resourceVersion !== undefined && resourceVersion !== object.metadata.resourceVersion)
    throw conflict(call.kind, call.name, changedMeanwhile);
  const left = options.dryRun?.length
    ? object
    : markDeleted(call.cluster.state, storageKey(call.kind), object, options, call.cluster.clock.now());
  if (left !== undefined) return ok(left);
  const { name, uid: was } = object.metadata;
  const details = { name, ...(call.kind.group !== "" && { group: call.kind.group }), kind: call.kind.resource, uid: was };
  return ok({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", details });
}

/**
 * Removes an object. If finalizers, a pod's grace period or the contents of a namespace delay the removal, marks the object as being
 * deleted and returns it.
 */
export function markDeleted(
  state: ClusterState,
  key: string,
  object: KubeObject,
  options: DeleteOptions,
  nowMs: number,
): KubeObject | undefined {
  const finalizers = new Set(object.metadata.finalizers);
  const policy = options.orphanDependents === true ? "Orphan" : options.propagationPolicy;
  if (policy === "Orphan") finalizers.add("orphan");
  if (policy === "Foreground") finalizers.add("foregroundDeletion");
  const grace = graceOf(key, object, options);
  const waits = finalizers.size > 0 || grace > 0 || key === "namespaces";
  if (!waits) {
    state.remove(key, object.metadata.namespace ?? "", object.metadata.name);
    return undefined;
  }
  const metadata = { ...object.metadata, ...(finalizers.size > 0 && { finalizers: [...finalizers] }) };
  const shorter = metadata.deletionGracePeriodSeconds !== undefined && grace < metadata.deletionGracePeriodSeconds;
  if (metadata.deletionTimestamp === undefined || shorter) {
    metadata.deletionTimestamp = timeText(nowMs + grace * 1000);
    metadata.deletionGracePeriodSeconds = grace;
    if (metadata.generation !== undefined) metadata.generation++;
  }
  const next: KubeObject = { ...object, metadata };
  if (key === "namespaces") next.status = { ...object.status, phase: "Terminating" };
  return state.put(key, next);
}

// Only pods that are assigned to a node have a grace period.
function graceOf(key: string, object: KubeObject, options: DeleteOptions): number {
  if (key !== "pods" || object.spec?.nodeName === undefined) return 0;
  if (object.status?.phase === "Succeeded" || object.status?.phase === "Failed") return 0;
  return options.gracePeriodSeconds ?? object.spec.terminationGracePeriodSeconds ?? 30;
}
