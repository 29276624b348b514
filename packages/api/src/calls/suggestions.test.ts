import { getEntitySchema, getMethod, type Json } from "@cloudwright/contract";
import { Fault } from "@cloudwright/platform";
import { expect, test } from "vitest";
import { readMasked } from "../entities/changes.ts";
import { queryFields, parseQuery } from "../http/rest/query.ts";
import { suggestSegment } from "../http/suggest-segment.ts";
import { fieldsOfKind, namedFields, parseFilter } from "../paging/filter.ts";
import { decodeShape } from "./decode.ts";

function messageOf(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    if (error instanceof Fault) return error.message;
    throw error;
  }
  throw new Error("the call succeeded");
}

const decodeCluster = (json: Json): string => messageOf(() => decodeShape(getEntitySchema("Cluster"), json, "the Cluster"));

test.each([
  [{ sepc: {} }, "sepc is unknown (did you mean spec?)"],
  [{ spec: { nework: "main" } }, "spec.nework is unknown (did you mean network?)"],
  [{ metadata: { Name: "dev" } }, "metadata.Name is unknown (did you mean name?)"],
  [{ spec: { endpoint: { publicCidr: [] } } }, "spec.endpoint.publicCidr is unknown (did you mean publicCidrs?)"],
] as const)("X085 an unknown field in a body gets a suggestion: %j", (json, message) => {
  expect(decodeCluster(json as unknown as Json)).toBe(`the Cluster is not valid: ${message}`);
});

test("X085 a field that resembles no other gets no suggestion", () => {
  expect(decodeCluster({ spec: { bananas: 1 } })).toBe("the Cluster is not valid: spec.bananas is unknown");
});

test("X085 an unknown query parameter gets a suggestion", () => {
  const fields = queryFields(getMethod("Cluster", "list").descriptor.input, new Set());
  expect(messageOf(() => parseQuery(fields, { pagesize: "1" }))).toContain("(did you mean pageSize?)");
});

test("X085 an unknown field in a filter or a mask gets a suggestion with its full path", () => {
  const clusters = fieldsOfKind("Cluster");
  expect(messageOf(() => parseFilter("status.phse=RUNNING", clusters))).toContain("(did you mean status.phase?)");
  expect(messageOf(() => parseFilter("sepc.network=main", clusters))).toContain("(did you mean spec.network?)");
  expect(messageOf(() => parseFilter("spec=main", clusters))).not.toContain("did you mean");
  expect(messageOf(() => parseFilter("reson=Created", namedFields(["reason"])))).toContain("(did you mean reason?)");
  expect(messageOf(() => readMasked("Cluster", {}, ["spec.verison"]))).toContain("(did you mean spec.version?)");
});

test.each([
  ["/v1/projects/default/clutsers/dev", " (did you mean clusters?)"],
  ["/v1/project/default", " (did you mean projects?)"],
  ["/v1/projects/default/clusters/dev/more", ""],
  ["/nowhere", ""],
  [`/${"clutsers/".repeat(10_000)}`, " (did you mean clusters?)"],
])("X085 an unknown path gets a suggestion: %.60s", (path, suggestion) => {
  expect(suggestSegment(path)).toBe(suggestion);
});
