import { isAllowed } from "../rbac/authorize.ts";
import type { Answer, Call, ResourceCall } from "./call.ts";
import { ok } from "./call.ts";
import { createObject } from "./create.ts";
import { deleteObject, readDeleteOptions } from "./delete.ts";
import { answerDiscovery, reviewKinds } from "./discovery.ts";
import { answerList, listObjects, selectKept } from "./list.ts";
import { answerOpenapi } from "./openapi.ts";
import { parseBody, patchObject } from "./patch.ts";
import { answerPodSubresource } from "./pod-subresources.ts";
import { readRepresentation } from "./representation.ts";
import { answerReview } from "./reviews.ts";
import { answerScale } from "./scale.ts";
import { answerServiceProxy } from "./service-proxy.ts";
import { createAccountToken } from "./service-account-token.ts";
import { methodNotAllowed, noSuchPath, qualified, StatusError } from "./status-error.ts";
import { getObject, keepChanged, updateObject } from "./update.ts";
import { watchObjects } from "./watch.ts";
import { readWriteOptions } from "./write-options.ts";

/**
 * Finds the resource that a request addresses, then authorises the user. Returns a function that executes the request with its body. The
 * caller reads the body only after authorisation, so an unauthorised client cannot make the host read it.
 */
export function admitCall(call: Omit<Call, "body">): (body: Buffer) => Answer {
  const bare = { ...call, body: Buffer.alloc(0) };
  const resource = /^\/(?:api\/v1|apis\/[^/]+\/[^/]+)\/./.test(call.path) ? readResource(bare) : undefined;
  if (resource === undefined) {
    const answer = answerPath(bare);
    return () => answer;
  }
  if (typeof resource === "string") return (body) => answerReview({ ...call, body }, resource);
  checkAccess(resource);
  return (body) => answerResource({ ...resource, body });
}

function answerPath(call: Call): Answer {
  const access = { verb: call.method.toLowerCase(), group: "", resource: "", namespace: "", name: "", path: call.path };
  if (!isAllowed(call.cluster.state, call.user, access)) {
    throw new StatusError(403, "Forbidden", `forbidden: User "${call.user.name}" cannot ${access.verb} path "${call.path}"`, {});
  }
  if (/^\/(healthz|readyz|livez)(\/|$)/.test(call.path)) return { code: 200, body: "ok", contentType: "text/plain" };
  if (call.path === "/version") return ok(versionInfo(call.cluster.record.version));
  if (call.path === "/")
    return ok({ paths: ["/api", "/apis", "/healthz", "/livez", "/openapi/v2", "/openapi/v3", "/readyz", "/version"] });
  const answer = answerDiscovery(call) ?? answerOpenapi(call);
  if (answer === undefined) throw noSuchPath();
  return answer;
}

function versionInfo(gitVersion: string): object {
  const [major = "1", minor = "0"] = gitVersion.replace(/^v/, "").split(".");
  const build = {
    gitCommit: "simulated",
    gitTreeState: "clean",
    buildDate: "2026-01-01T00:00:00Z",
    goVersion: "simulated",
    compiler: "simulated",
  };
  return { major, minor, gitVersion, ...build, platform: "linux/amd64" };
}

// Parses paths such as `/api/v1/namespaces/x/pods/y/log`. `/api/v1/namespaces/x` itself addresses the namespace object.
function readResource(call: Call): ResourceCall | string {
  const parts = call.path
    .split("/")
    .filter((part) => part !== "")
    .map(decodeURIComponent);
  const isCore = parts[0] === "api";
  const [group, version] = isCore ? ["", parts[1] ?? ""] : [parts[1] ?? "", parts[2] ?? ""];
  let rest = parts.slice(isCore ? 2 : 3);
  let namespace = "";
  const isInside = rest[0] === "namespaces" && rest.length > 2 && !(isCore && ["status", "finalize"].includes(rest[2] ?? ""));
  if (isInside) {
    namespace = rest[1] ?? "";
    rest = rest.slice(2);
  }
  const [resource = "", name = "", ...below] = rest;
  const review = reviewKinds.find((one) => one.group === group && one.resource === resource);
  if (review !== undefined) return review.kind;
  const kind = call.cluster.kinds.find(group, version, resource);
  if (kind === undefined || (isInside && !kind.namespaced)) throw noSuchPath();
  return { ...call, kind, namespace, name, subresource: below.join("/") };
}

function verbOf(call: ResourceCall): string {
  const isOne = call.name !== "";
  switch (call.method) {
    case "GET":
      return isWatch(call) ? "watch" : isOne ? "get" : "list";
    case "POST":
      return "create";
    case "PUT":
      return "update";
    case "PATCH":
      return "patch";
    case "DELETE":
      return isOne ? "delete" : "deletecollection";
    default:
      throw methodNotAllowed();
  }
}

function isWatch(call: ResourceCall): boolean {
  return call.method === "GET" && ["true", "1"].includes(call.query.get("watch") ?? "") && call.subresource === "";
}

function checkAccess(call: ResourceCall): void {
  const { kind, user, namespace, name, subresource } = call;
  const below = isProxy(subresource) ? "proxy" : subresource;
  const resource = below === "" ? kind.resource : `${kind.resource}/${below}`;
  const verb = verbOf(call);
  if (isAllowed(call.cluster.state, user, { verb, group: kind.group, resource, namespace, name, path: "" })) return;
  const where = namespace === "" ? "at the cluster scope" : `in the namespace "${namespace}"`;
  const what = `User "${user.name}" cannot ${verb} resource "${resource}" in API group "${kind.group}" ${where}`;
  const subject = `${qualified({ group: kind.group, resource: kind.resource })}${name === "" ? "" : ` "${name}"`}`;
  throw new StatusError(403, "Forbidden", `${subject} is forbidden: ${what}`, {
    ...(name !== "" && { name }),
    ...(kind.group !== "" && { group: kind.group }),
    kind: kind.resource,
  });
}

function answerResource(call: ResourceCall): Answer {
  if (call.subresource !== "") return answerSubresource(call);
  if (call.kind.namespaced && call.namespace === "" && (call.name !== "" || call.method === "POST")) throw noSuchPath();
  const shown = readRepresentation(call);
  switch (verbOf(call)) {
    case "watch":
      return watchObjects(call);
    case "list":
      return listObjects(call);
    case "get":
      return ok(shown.one(getObject(call)));
    case "create":
      if (call.name !== "") throw methodNotAllowed();
      return ok(shown.one(createObject(call, readWriteOptions(call), parseBody(call))), 201);
    case "update":
      if (call.name === "") throw methodNotAllowed();
      return ok(shown.one(updateObject(call, readWriteOptions(call), parseBody(call))));
    case "patch": {
      if (call.name === "") throw methodNotAllowed();
      const { object, isNew } = patchObject(call);
      return ok(shown.one(object), isNew ? 201 : 200);
    }
    case "delete":
      return deleteObject(call, readDeleteOptions(call));
    default:
      return deleteCollection(call);
  }
}

function deleteCollection(call: ResourceCall): Answer {
  const options = readDeleteOptions(call);
  const chosen = selectKept(call);
  const answer = answerList(call, chosen, { resourceVersion: String(call.cluster.state.version()) });
  for (const { key } of chosen) deleteObject({ ...call, namespace: key.namespace, name: key.name }, options);
  return answer;
}

function answerSubresource(call: ResourceCall): Answer {
  const { kind, subresource, method } = call;
  if (subresource === "scale" && kind.subresources.includes("scale")) return answerScale(call);
  if (subresource === "status" && kind.subresources.includes("status")) {
    if (method === "GET") return ok(getObject(call));
    if (method === "PUT") return ok(updateObject(call, readWriteOptions(call), parseBody(call)));
    if (method === "PATCH") return ok(patchObject(call).object);
    throw methodNotAllowed();
  }
  if (kind.group !== "") throw noSuchPath();
  if (kind.resource === "serviceaccounts" && subresource === "token" && method === "POST") return createAccountToken(call);
  if (kind.resource === "namespaces" && subresource === "finalize" && method === "PUT") return finalizeNamespace(call);
  if (kind.resource === "services" && isProxy(subresource) && method === "GET") return answerServiceProxy(call);
  if (kind.resource === "pods") return answerPodSubresource(call);
  throw noSuchPath();
}

/** The path after `proxy` belongs to the service or pod. */
function isProxy(subresource: string): boolean {
  return subresource === "proxy" || subresource.startsWith("proxy/");
}

function finalizeNamespace(call: ResourceCall): Answer {
  const previous = getObject(call);
  const wanted = parseBody(call) as any;
  const next = {
    ...previous,
    metadata: { ...previous.metadata },
    spec: { ...previous.spec, finalizers: wanted?.spec?.finalizers ?? [] },
  };
  return ok(keepChanged(call, readWriteOptions(call), previous, next));
}
