import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "./entities.ts";
import { kinds, type Kind } from "./kinds.ts";
import { renderOpenApi } from "./openapi.ts";
import { membersOf, objectAt, listAt, textAt, follow } from "./openapi/reference/document.ts";
import { methods } from "./methods.ts";

const document = renderOpenApi({ version: "1.2.3", serverUrl: "https://cloud.example.com" });
const schemas = objectAt(objectAt(document, "components"), "schemas");
const everything = membersOf(objectAt(document, "paths")).flatMap(([path, operations]) =>
  membersOf(operations).map(([method, operation]) => ({
    path,
    method: method.toUpperCase(),
    id: textAt(operation, "operationId"),
    operation,
  })),
);

function get(id: string) {
  const found = everything.find((entry) => entry.id === id);
  if (found === undefined) throw new Error(`there is no operation ${id}`);
  return found;
}

function parameterNames(id: string, place: string): string[] {
  const parameters = listAt(get(id).operation, "parameters").map((parameter) => follow(document, parameter));
  return parameters.filter((parameter) => parameter["in"] === place).map((parameter) => textAt(parameter, "name"));
}

function successes(id: string): string[] {
  return Object.keys(objectAt(get(id).operation, "responses")).filter((status) => status.startsWith("2"));
}

function isClosed(name: string): boolean {
  return objectAt(schemas, name)["additionalProperties"] === false;
}

describe("M013 the OpenAPI document", () => {
  test("is valid OpenAPI 3.1 and can be sent as JSON", async () => {
    const result = await new Validator().validate(JSON.parse(JSON.stringify(document)) as JsonObject);
    expect(result).toEqual({ valid: true });
    expect([document["openapi"], objectAt(document, "info")["version"]]).toEqual(["3.1.0", "1.2.3"]);
    expect(document["servers"]).toEqual([{ url: "https://cloud.example.com" }]);
  });

  test("M001 contains every method of the proto files at each of its paths", () => {
    const described = everything.map(({ path, method, operation }) => `${method} ${path} ${textAt(operation, "x-rpc")}`);
    const declared = methods.flatMap(({ id, bindings }) => bindings.map(({ method, path }) => `${method} ${path} ${id}`));
    expect(described.filter((line) => !line.endsWith(" ")).toSorted()).toEqual(declared.toSorted());
  });

  test("names each operation once, after its RPC", () => {
    const ids = everything.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(expect.arrayContaining(["createCluster", "updateCluster", "replaceCluster", "whoAmI", "pauseNodePool"]));
  });

  test("contains no dangling reference", () => {
    const refs = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref]) => ref as string);
    expect(refs.length).toBeGreaterThan(100);
    const dangling = refs.filter((ref) => Object.keys(follow(document, { $ref: ref })).length === 0);
    expect(dangling).toEqual([]);
  });

  test("describes every operation, tag, path parameter and message", () => {
    const tags = listAt(document, "tags").map((tag) => textAt(tag, "name"));
    for (const { id, path, operation } of everything) {
      expect([id, textAt(operation, "summary")]).not.toContain("");
      for (const tag of operation["tags"] as string[]) expect(tags).toContain(tag);
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect(parameterNames(id, "path")).toEqual(inPath);
    }
    for (const [name, schema] of membersOf(schemas)) expect([name, textAt(schema, "description")]).not.toContain("");
  });

  test("M012 gives every operation the same problem documents", () => {
    for (const { id, operation } of everything) {
      const statuses = Object.keys(objectAt(operation, "responses"));
      expect([id, ...statuses]).toEqual(
        expect.arrayContaining(["400", "401", "403", "404", "409", "413", "415", "429", "503", "default"]),
      );
    }
    const types = membersOf(objectAt(objectAt(document, "components"), "responses")).map(([, { content }]) =>
      Object.keys(content as object),
    );
    expect(new Set(types.flat())).toEqual(new Set(["application/problem+json"]));
  });

  test("requires a credential unless an operation is open to everyone", () => {
    expect(document["security"]).toEqual([{ bearer: [] }, { session: [] }]);
    const open = everything.filter(({ operation }) => Array.isArray(operation["security"]) && operation["security"].length === 0);
    expect(open.map(({ path }) => path).toSorted()).toEqual(
      ["/.well-known/jwks.json", "/healthz", "/openapi.json", "/readyz", "/v1/join", "/v1/session"].toSorted(),
    );
  });
});

describe("M001 requests", () => {
  test.for([
    { id: "createCluster", status: "202", headers: ["Location", "Operation-Location", "ETag"] },
    { id: "createEnvironment", status: "201", headers: ["Location", "ETag"] },
  ])("M010 $id returns $status with a location, accepts an idempotency key and supports a dry run", ({ id, status, headers }) => {
    const { operation } = get(id);
    expect(Object.keys(objectAt(objectAt(objectAt(operation, "responses"), status), "headers"))).toEqual(headers);
    expect(successes(id)).toEqual(["200", status]);
    expect(parameterNames(id, "query")).toEqual(["dryRun"]);
    expect(parameterNames(id, "header")).toEqual(["Idempotency-Key"]);
    expect(objectAt(operation, "requestBody")["required"]).toBe(true);
  });

  test("changes accept a precondition; PUT may create, PATCH accepts merge patches and a mask", () => {
    for (const id of ["updateCluster", "replaceCluster", "deleteCluster"])
      expect(parameterNames(id, "header")).toEqual(["If-Match"]);
    expect(parameterNames("replaceCluster", "query")).toEqual(["allowMissing", "dryRun", "allow"]);
    expect(successes("replaceEnvironment")).toEqual(["200", "201"]);
    expect(parameterNames("updateCluster", "query")).toEqual(["updateMask", "dryRun", "allow"]);
    const content = objectAt(objectAt(get("updateCluster").operation, "requestBody"), "content");
    expect(Object.keys(content)).toEqual(["application/merge-patch+json", "application/json"]);
    expect(parameterNames("deleteCluster", "query")).toEqual([
      "cascade",
      "resourceVersion",
      "dryRun",
      "force",
      "volumes",
      "preview",
    ]);
    expect(parameterNames("deleteEnvironment", "query")).toEqual(["cascade", "resourceVersion", "dryRun"]);
  });

  test("M010 changes return 202 if they start work, and 200 otherwise", () => {
    for (const id of ["replaceCluster", "updateCluster", "deleteCluster"]) expect(successes(id)).toEqual(["200", "202"]);
    for (const id of ["cancelOperation", "retryOperation", "acceptDrift", "correctDrift", "checkDrift"])
      expect(successes(id)).toEqual(["202"]);
    for (const id of ["pauseCluster", "pauseProject", "updateUser", "deleteUser"]) expect(successes(id)).toEqual(["200"]);
  });

  test("X032 X035 a change lists the risky effects that it allows, separated by commas", () => {
    const parameter = listAt(get("updateNetwork").operation, "parameters").find(({ name }) => name === "allow") ?? {};
    expect(parameter).toMatchObject({ explode: false, schema: { type: "array", items: { enum: ["replace", "delete"] } } });
    expect(parameterNames("updateAccount", "query")).not.toContain("allow");
    for (const id of ["approveRun", "discardRun"]) expect(successes(id)).toEqual(["200"]);
  });

  test("M076 fields that require a higher role say so", () => {
    const infra = objectAt(objectAt(schemas, "Infra"), "properties");
    expect(infra["overrides"]).toMatchObject({ type: "object", "x-needs-role": "admin" });
    expect(infra["approval"]).toHaveProperty("x-needs-role", "admin");
    expect(infra["drift"]).not.toHaveProperty("x-needs-role");
  });

  test("records accept a filter and paging, but neither label selectors nor sorting", () => {
    for (const id of ["listEvents", "listAuditRecords"])
      expect(parameterNames(id, "query")).toEqual(["filter", "pageSize", "pageToken"]);
  });

  test("tokens can be created but not read afterwards", () => {
    const created = objectAt(objectAt(get("createToken").operation, "responses"), "201");
    expect(Object.keys(created)).toEqual(["description", "content"]);
  });

  test("custom verbs need no body", () => {
    const body = objectAt(get("pauseCluster").operation, "requestBody");
    expect(body["required"]).toBe(false);
    expect(objectAt(objectAt(objectAt(body, "content"), "application/json"), "schema")["maxProperties"]).toBe(0);
  });

  test("lists of watchable kinds can be streamed and report a position that is too old", () => {
    const { operation } = get("listClusters");
    const content = objectAt(objectAt(objectAt(operation, "responses"), "200"), "content");
    expect(Object.keys(content)).toEqual(["application/json", "text/event-stream"]);
    expect(Object.keys(objectAt(operation, "responses"))).toContain("410");
    expect(parameterNames("listClusters", "query")).toEqual(expect.arrayContaining(["watch", "resourceVersion"]));
    for (const id of ["listClusters", "watchProject"]) expect(parameterNames(id, "header")).toEqual(["Last-Event-ID"]);
    expect(parameterNames("watchProject", "query")).toEqual(["labelSelector", "resourceVersion"]);
    expect(parameterNames("listApiKeys", "query")).not.toContain("watch");
    expect(Object.keys(objectAt(get("listApiKeys").operation, "responses"))).not.toContain("410");
  });

  test("project and parent are parameters only if they apply to the kind", () => {
    const all: readonly Kind[] = kinds;
    for (const { id, operation } of everything) {
      const rpc = methods.find((known) => known.id === operation["x-rpc"]);
      const kind = all.find((known) => known.kind === rpc?.kind);
      const offered = parameterNames(id, "query").filter((name) => name === "project" || name === "parent");
      const inPath = parameterNames(id, "path").includes("parent");
      const expected = rpc?.verb === "list" && kind?.parent !== undefined && !inPath ? ["parent"] : [];
      expect([id, ...offered]).toEqual([id, ...expected]);
    }
  });

  test("M020 secrets are write-only and can be null; status is read-only", () => {
    const aws = objectAt(objectAt(schemas, "AwsAccount"), "properties");
    expect(aws["secretAccessKey"]).toMatchObject({ type: ["string", "null"], writeOnly: true, minLength: 1 });
    expect(objectAt(objectAt(schemas, "Account"), "properties")["status"]).toMatchObject({ readOnly: true });
  });

  test("messages that callers send are closed, those that are only returned are open", () => {
    expect(["Cluster", "ClusterSpec", "Metadata", "Taint", "CreateTokenRequest"].map(isClosed)).toEqual(Array(5).fill(true));
    expect(["ClusterStatus", "Condition", "ListClustersResponse", "WhoAmIResponse", "Task"].map(isClosed)).toEqual(
      Array(5).fill(false),
    );
  });

  test("comma-separated lists are declared as such", () => {
    const phase = objectAt(objectAt(objectAt(schemas, "ClusterStatus"), "properties"), "phase");
    const words = ["PENDING", "PROVISIONING", "RUNNING", "UPDATING", "UPGRADING", "REPAIRING", "DEGRADED", "FAILED", "DELETING"];
    expect(phase["enum"]).toEqual(["", ...words]);
  });
});
