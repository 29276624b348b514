import { getOption, hasOption, ScalarType, type DescField, type DescMessage } from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { output_only, secret } from "../gen/cloudwright/v1/options_pb.ts";
import { getEntitySchema, immutablePaths, secretPaths } from "./entities.ts";
import { kinds, roles, type Kind } from "./kinds.ts";
import { methods } from "./methods.ts";
import { services } from "./services.ts";

const knownRoles = [...roles, "agent", "authenticated", "public"];
const records = [
  "AuditRecord",
  "BackendUse",
  "Event",
  "State",
  "StateContent",
  "StateDiff",
  "StateResource",
  "StateVersion",
  "TaskLog",
  "Timeline",
];
const runs = ["Drift", "Run", "RunPlan"];
const simulated = ["SimulatedCloud", "SimulatedFault", "SimulatedRecord"];
const extraKinds = ["*", ...records, ...runs, ...simulated, "Identity", "JoinToken", "Permission", "Token", "Work"];

describe("M001 every method in the proto files", () => {
  test.each(methods)("$id declares its verb, its kind and a known role", ({ verb, kind, role }) => {
    expect(verb).toMatch(/^[a-z]+$/);
    expect([...kinds.map((known) => known.kind), ...extraKinds]).toContain(kind);
    expect(knownRoles).toContain(role);
  });

  test("is found once", () => {
    expect(methods).toHaveLength(services.reduce((sum, service) => sum + service.methods.length, 0));
    expect(new Set(methods.map(({ id }) => id)).size).toBe(methods.length);
  });

  test("has a path of its own, except that watches share the path of their list", () => {
    const routes = methods.flatMap(({ bindings }) =>
      bindings.map(({ method, path }) => `${method} ${path.replace(/\{\w+\}/g, "{}")}`),
    );
    expect(routes.filter((route, index) => routes.indexOf(route) !== index)).toEqual([]);
    for (const { bindings, streaming, kind, id } of methods.filter((operation) => operation.bindings.length === 0)) {
      expect([id, streaming, bindings.length]).toEqual([id, true, 0]);
      expect(methods.some((other) => other.verb === "list" && other.kind === kind)).toBe(true);
    }
  });

  test("names only fields of its request in path and body", () => {
    for (const { bindings, descriptor } of methods) {
      const fields = ["", "*", ...descriptor.input.fields.map(({ name }) => name)];
      for (const { path, body } of bindings) {
        const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
        expect(fields).toEqual(expect.arrayContaining([...named, body]));
      }
    }
  });

  test("uses GET if and only if it reads without changing anything", () => {
    for (const { id, verb, bindings } of methods) {
      const reads = ["get", "list", "watch"].includes(verb);
      for (const { method } of bindings) expect([id, method === "GET"]).toEqual([id, reads]);
    }
  });
});

describe("M020 secret fields", () => {
  const messages = kinds.flatMap(({ kind }) => collect(getEntitySchema(kind), new Set()));
  const marked = messages.flatMap(({ fields }) => fields).filter((field) => hasOption(field, secret));

  test("are found in the accounts of every cloud that has credentials", () => {
    expect(secretPaths["Account"]?.map((path) => path.join("."))).toEqual([
      "spec.aws.secretAccessKey",
      "spec.aws.externalId",
      "spec.gcp.serviceAccountKey",
      "spec.azure.clientSecret",
      "spec.azure.clientCertificate",
    ]);
  });

  test("are optional strings, so that omitting and clearing can be distinguished", () => {
    expect(marked.length).toBeGreaterThan(0);
    for (const field of marked) {
      expect(field.fieldKind === "scalar" && field.scalar === ScalarType.STRING).toBe(true);
      expect(field.presence).toBe(FeatureSet_FieldPresence.EXPLICIT);
    }
  });

  test("are only in specs, at paths where a store can find them", () => {
    const found = Object.values(secretPaths).reduce((sum, paths) => sum + paths.length, 0);
    expect(found).toBe(new Set(marked).size);
  });
});

describe("M025 field options", () => {
  test("mark the status and the server's counters as written by the server only", () => {
    for (const { kind } of kinds) expect(isMarked(getEntitySchema(kind).field["status"])).toBe(true);
    const metadata = getEntitySchema("Project").field["metadata"]?.message;
    const written = metadata?.fields.filter(isMarked).map(({ jsonName }) => jsonName);
    expect(written).toEqual([
      "project",
      "uid",
      "generation",
      "createdAt",
      "updatedAt",
      "deletedAt",
      "paused",
      "operation",
      "parent",
    ]);
  });

  test("mark references to owners as fixed at creation", () => {
    const all: readonly Kind[] = kinds;
    const named = all.filter(({ parent }) => parent?.field !== undefined);
    expect(named.length).toBeGreaterThan(0);
    for (const { kind, parent } of named) expect(immutablePaths[kind]).toContainEqual(["spec", parent?.field]);
  });
});

function isMarked(field: DescField | undefined): boolean {
  return field !== undefined && getOption(field, output_only);
}

function collect(message: DescMessage, seen: Set<DescMessage>): DescMessage[] {
  if (seen.has(message)) return [];
  seen.add(message);
  return [message, ...message.fields.flatMap((field) => (field.message === undefined ? [] : collect(field.message, seen)))];
}
