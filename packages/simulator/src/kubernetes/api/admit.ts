import { isSame, type KubeObject } from "../cluster/kube-object.ts";
import { checkRules } from "../kinds/check-rules.ts";
import { establishDefinition } from "../kinds/establish-definition.ts";
import { fillDefaults } from "../kinds/fill-defaults.ts";
import { apiVersionOf } from "../kinds/kinds.ts";
import { checkObject } from "../schema/check-object.ts";
import { admitPod, admitRoles, admitService, admitVolume } from "./admit-built-in.ts";
import type { ResourceCall } from "./call.ts";
import { badRequest, invalid } from "./status-error.ts";
import type { WriteOptions } from "./write-options.ts";

/**
 * Decodes a request body as an object of the call's kind. Drops unknown fields and fills in defaults, but does not check validation rules.
 * For a partial object, as in server-side apply, checks only the structure.
 */
export function decodeObject(call: ResourceCall, options: WriteOptions, input: unknown, isPartial = false): KubeObject {
  if (typeof input !== "object" || input === null || Array.isArray(input))
    throw badRequest("the body of the request is not an object");
  const sent = input as KubeObject;
  const { kind } = call;
  const expected = apiVersionOf(kind);
  if (sent.apiVersion !== undefined && sent.apiVersion !== expected) {
    throw badRequest(`the API version in the data (${sent.apiVersion}) does not match the expected API version (${expected})`);
  }
  if (sent.kind !== undefined && sent.kind !== kind.kind) {
    throw badRequest(
      `${sent.kind} in version "${kind.version}" cannot be handled as a ${kind.kind}: no kind "${sent.kind}" is registered for version "${expected}"`,
    );
  }
  const { value, unknown, mistyped, causes } = checkObject(
    call.cluster.kinds.schemas,
    call.cluster.kinds.schemaOf(kind),
    sent,
    isPartial,
  );
  const isCustom = call.cluster.kinds.findCustom(kind) !== undefined;
  const [first] = mistyped;
  if (first !== undefined && !isCustom) {
    throw badRequest(
      `${kind.kind} in version "${kind.version}" cannot be handled as a ${kind.kind}: json: cannot unmarshal: ${first.field}: ${first.message}`,
    );
  }
  const problems = unknown.map((field) => `unknown field "${field}"`);
  if (problems.length > 0 && options.fieldValidation === "Strict") {
    throw badRequest(
      `${isCustom ? "" : `${kind.kind} in version "${kind.version}" cannot be handled as a ${kind.kind}: `}strict decoding error: ${problems.join(", ")}`,
    );
  }
  if (options.fieldValidation === "Warn") call.warnings.push(...problems);
  const object = value as KubeObject;
  object.apiVersion = expected;
  object.kind = kind.kind;
  object.metadata = { ...object.metadata };
  const all = isPartial ? mistyped : [...mistyped, ...causes];
  if (all.length > 0) {
    throw invalid(kind.group, kind.kind, object.metadata.name ?? "", all);
  }
  return object;
}

/** Prepares an object for storage: fills in defaults, checks validation rules and runs the admission plug-ins. Modifies the object. */
export function admitObject(call: ResourceCall, object: KubeObject, previous: KubeObject | undefined): void {
  const { kind } = call;
  if (call.cluster.kinds.findCustom(kind) === undefined) {
    fillDefaults(kind.resource, object);
    admitBuiltIn(call, object, previous);
  }
  const causes = checkRules(call.cluster.kinds.findCustom(kind) === undefined ? kind.resource : "", object, previous);
  if (causes.length > 0) throw invalid(kind.group, kind.kind, object.metadata.name, causes);
  if (kind.resource === "customresourcedefinitions") establishDefinition(object, call.cluster.clock.now());
}

function admitBuiltIn(call: ResourceCall, object: KubeObject, previous: KubeObject | undefined): void {
  switch (call.kind.resource) {
    case "pods":
      return previous === undefined ? admitPod(call, object) : undefined;
    case "services":
      return admitService(call.cluster, object, previous);
    case "persistentvolumes":
    case "persistentvolumeclaims":
      return previous === undefined ? admitVolume(call.cluster.state, call.kind.resource, object) : undefined;
    case "roles":
    case "clusterroles":
    case "rolebindings":
    case "clusterrolebindings":
      return admitRoles(call, object);
  }
}

const withoutGeneration = new Set([
  "namespaces",
  "nodes",
  "services",
  "persistentvolumes",
  "persistentvolumeclaims",
  "csinodes",
  "csidrivers",
  "horizontalpodautoscalers",
  "leases",
]);

/** Returns whether the server counts changes to the spec of this kind in `metadata.generation`. */
export function hasGeneration(call: ResourceCall, object: KubeObject): boolean {
  const isCustom = call.cluster.kinds.findCustom(call.kind) !== undefined;
  return isCustom || (object.spec !== undefined && !withoutGeneration.has(call.kind.resource));
}

/** Returns whether anything other than metadata and status differs. */
export function isSpecChanged(previous: KubeObject, next: KubeObject): boolean {
  const desired = ({ metadata: _metadata, status: _status, ...rest }: KubeObject): unknown => rest;
  return !isSame(desired(previous), desired(next));
}
