import { create, fromJson } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { ClusterSchema, type Cluster } from "../../gen/cloudwright/v1/cluster_pb.ts";
import type { JsonObject } from "../entities.ts";
import { checkCluster } from "./check-cluster.ts";
import { isPlainGatePath } from "./check-upgrade-gates.ts";

const service = { namespace: "web", name: "front", port: "80" };
const build = (...gates: JsonObject[]): Cluster =>
  fromJson(ClusterSchema, {
    spec: { network: "main", upgrade: { gates: gates.map((gate, index) => ({ name: `g${index}`, ...gate })) } },
  });
const fieldsOf = (...gates: JsonObject[]): string[] => checkCluster(build(...gates)).map(({ field }) => field);

test("X040 a gate names a service or a URL, not both, and each gate has its own name", () => {
  expect(checkCluster(create(ClusterSchema, {}))).toEqual([]);
  expect(fieldsOf({ http: { service } }, { metric: { url: "https://prometheus.test/base", query: "up" } }, { job: {} })).toEqual(
    [],
  );
  expect(fieldsOf({ http: {} })).toEqual(["spec.upgrade.gates[0].http"]);
  expect(fieldsOf({ http: { service, url: "https://a.test" } })).toEqual(["spec.upgrade.gates[0].http"]);
  expect(fieldsOf({ http: { url: "https://a.test", path: "/x" } })).toEqual(["spec.upgrade.gates[0].http.path"]);
  expect(fieldsOf({ name: "a", http: { service } }, { name: "a", http: { service } })).toEqual(["spec.upgrade.gates[1].name"]);
  expect(fieldsOf({ http: { service: { ...service, port: "70000" } } })).toEqual(["spec.upgrade.gates[0].http.service.port"]);
  expect(fieldsOf({ http: { service: { ...service, port: "http" } } })).toEqual([]);
});

test.each([
  "ftp://a.test",
  "a.test",
  "https://user:pass@a.test",
  "https://user@a.test/",
  "https://a.test/#x",
  "javascript:alert(1)",
])("X040 a gate's URL %s is rejected", (url) => {
  expect(fieldsOf({ http: { url } })).toEqual(["spec.upgrade.gates[0].http.url"]);
  expect(fieldsOf({ metric: { url } })).toEqual(["spec.upgrade.gates[0].metric.url"]);
});

test("X040 a path cannot leave its service", () => {
  for (const path of ["", "/", "/healthz", "/a/b.c/", "/a-b_c~d/1"]) expect([path, isPlainGatePath(path)]).toEqual([path, true]);
  for (const path of [
    "healthz",
    "/../x",
    "/a/..",
    "/./a",
    "//a",
    "/a//b",
    "/%2e%2e/x",
    "/a?b",
    "/a#b",
    "/a\\b",
    "/a b",
    "/a\n",
    "/ä",
  ])
    expect([path, isPlainGatePath(path)]).toEqual([path, false]);
});
