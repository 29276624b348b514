import { isSame, type KubeObject } from "../cluster/kube-object.ts";
import { storageKey } from "../kinds/kinds.ts";
import { trackUpdate } from "../merge/managed-fields.ts";
import { admitObject, decodeObject, hasGeneration, isSpecChanged } from "./admit.ts";
import type { ResourceCall } from "./call.ts";
import { requireSize } from "./object-size.ts";
import { badRequest, changedMeanwhile, conflict, invalid, notFound } from "./status-error.ts";
import type { WriteOptions } from "./write-options.ts";

/** Replaces an object with the one in the request body. */
export function updateObject(call: ResourceCall, options: WriteOptions, input: unknown): KubeObject {
  const previous = getObject(call);
  const object = decodeObject(call, options, input);
  if (object.metadata.name !== undefined && object.metadata.name !== call.name) {
    throw badRequest(`the name of the object (${object.metadata.name}) does not match the name on the URL (${call.name})`);
  }
  return replaceObject(call, options, previous, object);
}

/** Returns the object that a call names. Throws if it does not exist. */
export function getObject(call: ResourceCall): KubeObject {
  const found = call.cluster.state.find(storageKey(call.kind), call.namespace, call.name);
  if (found === undefined) throw notFound(call.kind, call.name);
  return found;
}

/**
 * Replaces `previous` with `object`. A call to the status subresource replaces only the status. Field ownership is computed unless
 * `managedFields` is given.
 */
export function replaceObject(
  call: ResourceCall,
  options: WriteOptions,
  previous: KubeObject,
  object: KubeObject,
  managedFields?: KubeObject["metadata"]["managedFields"],
): KubeObject {
  checkPreconditions(call, previous, object);
  const next = call.subresource === "status" ? withStatus(previous, object) : withSpec(call, previous, object);
  carryOver(previous, next);
  if (call.subresource !== "status") admitObject(call, next, previous);
  if (hasGeneration(call, next)) {
    const generation = previous.metadata.generation ?? 1;
    next.metadata.generation = isSpecChanged(previous, next) ? generation + 1 : generation;
  }
  const { schemas } = call.cluster.kinds;
  const managed = managedFields ?? trackUpdate(schemas, call.cluster.kinds.schemaOf(call.kind), previous, next, options.manager);
  if (managed.length > 0) next.metadata.managedFields = managed;
  else delete next.metadata.managedFields;
  return keepChanged(call, options, previous, next);
}

function checkPreconditions({ kind, name }: ResourceCall, previous: KubeObject, { metadata }: KubeObject): void {
  if (metadata.resourceVersion && metadata.resourceVersion !== previous.metadata.resourceVersion)
    throw conflict(kind, name, changedMeanwhile);
  if (metadata.uid && metadata.uid !== previous.metadata.uid) {
    throw conflict(
      kind,
      name,
      `Precondition failed: UID in precondition: ${metadata.uid}, UID in object meta: ${previous.metadata.uid}`,
    );
  }
  const added = (metadata.finalizers ?? []).filter((one) => !(previous.metadata.finalizers ?? []).includes(one));
  if (previous.metadata.deletionTimestamp !== undefined && added.length > 0) {
    const message = `Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers ${JSON.stringify(added)}`;
    throw invalid(kind.group, kind.kind, name, [{ reason: "FieldValueForbidden", message, field: "metadata.finalizers" }]);
  }
}

function withStatus(previous: KubeObject, object: KubeObject): KubeObject {
  const next = { ...previous, metadata: { ...previous.metadata } };
  if (object.status === undefined) delete next.status;
  else next.status = object.status;
  if (object.metadata.managedFields !== undefined) next.metadata.managedFields = object.metadata.managedFields;
  return next;
}

function withSpec({ kind }: ResourceCall, previous: KubeObject, object: KubeObject): KubeObject {
  if (!kind.subresources.includes("status")) return object;
  const { status: _, ...desired } = object;
  const next = desired as KubeObject;
  if (previous.status !== undefined) next.status = previous.status;
  return next;
}

function carryOver(previous: KubeObject, next: KubeObject): void {
  const { name, namespace, uid, creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds, generation, managedFields } =
    previous.metadata;
  const { metadata } = next;
  Object.assign(metadata, { name, uid, creationTimestamp });
  if (namespace !== undefined) metadata.namespace = namespace;
  if (deletionTimestamp === undefined) delete metadata.deletionTimestamp;
  else Object.assign(metadata, { deletionTimestamp, deletionGracePeriodSeconds });
  if (generation === undefined) delete metadata.generation;
  else metadata.generation = generation;
  if (metadata.managedFields === undefined && managedFields !== undefined) metadata.managedFields = managedFields;
  // Clients clear `managedFields` by sending a single empty entry.
  metadata.managedFields = metadata.managedFields?.filter((entry) => entry.manager !== undefined) ?? [];
  if (metadata.finalizers?.length === 0) delete metadata.finalizers;
}

/** Stores a changed object. Removes it instead if it is being deleted and has lost its last finalizer. */
export function keepChanged(call: ResourceCall, options: WriteOptions, previous: KubeObject, next: KubeObject): KubeObject {
  requireSize(next);
  if (options.dryRun) return next;
  next.metadata.resourceVersion = previous.metadata.resourceVersion;
  const { state } = call.cluster;
  const key = storageKey(call.kind);
  const times = (object: KubeObject): unknown => object.metadata.managedFields?.map(({ time: _time, ...rest }) => rest);
  // A change that affects only a manager's timestamp does not create a new version.
  if (isSame(times(previous), times(next)) && previous.metadata.managedFields)
    next.metadata.managedFields = previous.metadata.managedFields;
  const isDone = next.metadata.deletionTimestamp !== undefined && !next.metadata.finalizers?.length && !isGraceful(call, next);
  if (!isDone) return state.put(key, next);
  state.put(key, next);
  return state.remove(key, call.namespace, call.name) ?? next;
}

function isGraceful({ kind }: ResourceCall, object: KubeObject): boolean {
  return (
    (kind.resource === "pods" && (object.metadata.deletionGracePeriodSeconds ?? 0) > 0) ||
    (kind.resource === "namespaces" && object.spec?.finalizers?.length > 0)
  );
}
