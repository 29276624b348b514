import { randomBytes } from "node:crypto";
import { createUid } from "@cloudwright/platform";
import { timeText, type KubeObject } from "../cluster/kube-object.ts";
import { storageKey } from "../kinds/kinds.ts";
import { trackUpdate } from "../merge/managed-fields.ts";
import { admitObject, decodeObject, hasGeneration } from "./admit.ts";
import type { ResourceCall } from "./call.ts";
import { requireSize } from "./object-size.ts";
import { alreadyExists, badRequest, invalid, notFound, StatusError } from "./status-error.ts";
import type { WriteOptions } from "./write-options.ts";

/** Creates an object from a request body. */
export function createObject(call: ResourceCall, options: WriteOptions, input: unknown): KubeObject {
  const object = decodeObject(call, options, input);
  prepareNew(call, object);
  admitObject(call, object, undefined);
  const { schemas } = call.cluster.kinds;
  delete object.metadata.managedFields;
  const managed = trackUpdate(schemas, call.cluster.kinds.schemaOf(call.kind), undefined, object, options.manager);
  if (managed.length > 0) object.metadata.managedFields = managed;
  return keepNew(call, options, object);
}

/** Completes a new object with the fields that the server sets, and rejects it if it is invalid. Modifies the object. */
export function prepareNew(call: ResourceCall, object: KubeObject): void {
  const { kind, namespace } = call;
  const { state, clock } = call.cluster;
  const { metadata } = object;
  if (metadata.resourceVersion) throw badRequest("resourceVersion should not be set on objects to be created");
  if (kind.namespaced) {
    if (metadata.namespace !== undefined && metadata.namespace !== namespace) {
      throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
    }
    metadata.namespace = namespace;
    checkNamespace(call, metadata.name ?? metadata.generateName ?? "");
  } else delete metadata.namespace;
  if (!metadata.name && metadata.generateName) metadata.name = `${metadata.generateName.slice(0, 58)}${nameSuffix()}`;
  if (!metadata.name) {
    throw invalid(kind.group, kind.kind, "", [
      { reason: "FieldValueRequired", message: "Required value: name or generateName is required", field: "metadata.name" },
    ]);
  }
  if (state.find(storageKey(kind), metadata.namespace ?? "", metadata.name) !== undefined)
    throw alreadyExists(kind, metadata.name);
  const now = clock.now();
  metadata.uid = createUid(now);
  metadata.creationTimestamp = timeText(now);
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  delete metadata.generation;
  if (kind.subresources.includes("status") && kind.resource !== "nodes") delete object.status;
  if (hasGeneration(call, object)) metadata.generation = 1;
}

function checkNamespace({ kind, namespace, cluster }: ResourceCall, name: string): void {
  const found = cluster.state.find("namespaces", "", namespace);
  if (found === undefined) throw notFound({ group: "", resource: "namespaces" }, namespace);
  if (found.metadata.deletionTimestamp === undefined) return;
  const message = `${kind.resource} "${name}" is forbidden: unable to create new content in namespace ${namespace} because it is being terminated`;
  const causes = [
    { reason: "NamespaceTerminating", message: `namespace ${namespace} is being terminated`, field: "metadata.namespace" },
  ];
  throw new StatusError(403, "Forbidden", message, { name, kind: kind.resource, causes });
}

/** Stores a new object, except in a dry run. */
export function keepNew(call: ResourceCall, options: WriteOptions, object: KubeObject): KubeObject {
  requireSize(object);
  return options.dryRun ? object : call.cluster.state.put(storageKey(call.kind), object);
}

const letters = "bcdfghjklmnpqrstvwxz2456789";

/** Returns five random characters that cannot form a word. */
export function nameSuffix(): string {
  return [...randomBytes(5)].map((byte) => letters[byte % letters.length]).join("");
}
