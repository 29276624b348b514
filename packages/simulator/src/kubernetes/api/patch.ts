import { parse as parseYaml } from "yaml";
import type { KubeObject } from "../cluster/kube-object.ts";
import { refuseReservedFields } from "../cluster/own-fields.ts";
import { storageKey } from "../kinds/kinds.ts";
import { applyJsonPatch } from "../merge/json-patch.ts";
import { applyMergePatch } from "../merge/merge-patch.ts";
import { serverSideApply } from "../merge/server-side-apply.ts";
import { applyStrategicPatch } from "../merge/strategic-merge.ts";
import { decodeProtobuf, isProtobuf } from "../schema/decode-protobuf.ts";
import { admitObject, decodeObject } from "./admit.ts";
import type { ResourceCall } from "./call.ts";
import { keepNew, prepareNew } from "./create.ts";
import { badRequest, notFound, StatusError } from "./status-error.ts";
import { getObject, replaceObject } from "./update.ts";
import { readWriteOptions, type WriteOptions } from "./write-options.ts";
import { requireFewFields, requireFewValues, tooLarge } from "./object-size.ts";

/** The result of a patch. An apply patch can also create the object. */
export interface Patched {
  readonly object: KubeObject;
  readonly isNew: boolean;
}

/** Applies a patch of any of the four Kubernetes patch types. */
export function patchObject(call: ResourceCall): Patched {
  const type = (call.headers["content-type"] ?? "").split(";")[0]?.trim();
  if (type === "application/apply-patch+yaml" || type === "application/apply-patch+cbor") return applyObject(call);
  const options = readWriteOptions(call);
  const previous = getObject(call);
  const patched = patchValue(call, type, previous, parseBody(call));
  const object = decodeObject(call, options, patched);
  if (object.metadata.name !== call.name) throw badRequest("the name of an object cannot be changed");
  return { object: replaceObject(call, options, previous, object), isNew: false };
}

/** Applies a patch to a value, using the schema of the call's kind. */
export function patchValue(call: ResourceCall, type: string | undefined, value: object, patch: unknown): unknown {
  switch (type) {
    case "application/json-patch+json":
      return applyJsonPatch(value, patch);
    case "application/merge-patch+json":
      return applyMergePatch(value, patch);
    case "application/strategic-merge-patch+json": {
      if (call.cluster.kinds.findCustom(call.kind) !== undefined) throw unsupportedType(type);
      const schema = call.cluster.kinds.schemaOf(call.kind);
      return applyStrategicPatch(
        call.cluster.kinds.schemas,
        schema,
        value as Record<string, unknown>,
        patch as Record<string, unknown>,
      );
    }
    default:
      throw unsupportedType(type ?? "");
  }
}

function unsupportedType(type: string): StatusError {
  const accepted = "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml";
  const message = `the body of the request was in an unknown format - accepted media types include: ${accepted}`;
  return new StatusError(415, "UnsupportedMediaType", `${message}; it was ${type}`, {});
}

function applyObject(call: ResourceCall): Patched {
  const options = readWriteOptions(call, "Apply");
  const { schemas } = call.cluster.kinds;
  const given = decodeObject(call, options, withName(call, parseBody(call)), true);
  if (given.metadata.managedFields?.length) throw badRequest("metadata.managedFields must be nil");
  const live = call.cluster.state.find(storageKey(call.kind), call.namespace, call.name);
  if (live === undefined && call.subresource !== "") throw notFound(call.kind, call.name);
  const { resourceVersion: wanted, ...metadata } = given.metadata;
  const schema = call.cluster.kinds.schemaOf(call.kind);
  const applied = serverSideApply(schemas, schema, live, { ...given, metadata } as KubeObject, options.manager, options.force);
  const { object, managedFields } = applied;
  if (live !== undefined && wanted !== undefined) object.metadata.resourceVersion = wanted;
  const whole = decodeObject(call, { ...options, fieldValidation: "Ignore" }, object);
  if (live !== undefined) return { object: replaceObject(call, options, live, whole, managedFields), isNew: false };
  return { object: createApplied(call, options, whole, managedFields), isNew: true };
}

function createApplied(
  call: ResourceCall,
  options: WriteOptions,
  object: KubeObject,
  managedFields: KubeObject["metadata"]["managedFields"],
): KubeObject {
  prepareNew(call, object);
  admitObject(call, object, undefined);
  if (managedFields?.length) object.metadata.managedFields = managedFields;
  return keepNew(call, options, object);
}

function withName(call: ResourceCall, body: unknown): unknown {
  const given = body as KubeObject | null;
  if (typeof given !== "object" || given === null) throw badRequest("the body of an apply request is not an object");
  if (given.apiVersion === undefined || given.kind === undefined)
    throw badRequest("an apply request requires apiVersion and kind");
  if (given.metadata?.name !== undefined && given.metadata.name !== call.name) {
    throw badRequest(`metadata.name of the body (${given.metadata.name}) does not match the name on the URL (${call.name})`);
  }
  return {
    ...given,
    metadata: { ...given.metadata, name: call.name, ...(call.kind.namespaced && { namespace: call.namespace }) },
  };
}

/** Parses a request body as JSON, YAML or protobuf. kubectl sends protobuf for objects that it builds itself. */
export function parseBody(call: Pick<ResourceCall, "body" | "headers">): unknown {
  const text = call.body.toString("utf8");
  const parsed = parseText(call, text);
  requireFewFields(parsed);
  // The reserved name may be hidden in the text by an escape sequence, so a backslash also triggers the check.
  if (text.includes("__proto__") || text.includes("\\")) refuseReservedFields(parsed);
  return parsed;
}

// YAML bodies must be short: parsing YAML takes a hundred times as long as parsing JSON, and checking for repeated keys takes even
// longer. kubectl is not affected, because it sends JSON.
const longestYaml = 64 * 1024;

function parseText(call: Pick<ResourceCall, "body" | "headers">, text: string): unknown {
  const type = call.headers["content-type"] ?? "";
  try {
    if (isProtobuf(call.body)) {
      const decoded = decodeProtobuf(call.body);
      if (decoded === undefined)
        throw new StatusError(415, "UnsupportedMediaType", "this kind is accepted as JSON or YAML, but not as protobuf", {});
      return decoded;
    }
    if (/^\s*[{[]/.test(text) || !type.includes("yaml")) {
      requireFewValues(call.body);
      return JSON.parse(text);
    }
    if (text.length > longestYaml) throw tooLarge(`YAML may have at most ${longestYaml} characters; send larger objects as JSON`);
    return parseYaml(text, { uniqueKeys: false });
  } catch (error) {
    if (error instanceof StatusError) throw error;
    throw badRequest(`the body of the request cannot be parsed: ${error instanceof Error ? error.message : "invalid JSON"}`);
  }
}
