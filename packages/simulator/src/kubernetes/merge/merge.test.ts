import { describe, expect, test } from "vitest";
import type { KubeObject, ManagedFields } from "../cluster/kube-object.ts";
import { builtInSchemas } from "../schema/built-in-schemas.ts";
import type { Schema } from "../schema/schema.ts";
import { applyJsonPatch } from "./json-patch.ts";
import { trackUpdate } from "./managed-fields.ts";
import { applyMergePatch } from "./merge-patch.ts";
import { serverSideApply } from "./server-side-apply.ts";
import { applyStrategicPatch } from "./strategic-merge.ts";

const podSchema = builtInSchemas.find("io.k8s.api.core.v1.Pod") as Schema;
const nowMs = Date.UTC(2026, 0, 1);

describe("patches", () => {
  test("M130 a JSON patch applies its operations in order, all or none", () => {
    const value = { a: [1, 2], b: { "c/d": 1 } };
    expect(
      applyJsonPatch(value, [
        { op: "add", path: "/a/-", value: 3 },
        { op: "remove", path: "/a/0" },
        { op: "move", from: "/b/c~1d", path: "/e" },
      ]),
    ).toEqual({ a: [2, 3], b: {}, e: 1 });
    expect(
      applyJsonPatch(value, [
        { op: "test", path: "/a/1", value: 2 },
        { op: "copy", from: "/a", path: "/b" },
      ]),
    ).toEqual({ a: [1, 2], b: [1, 2] });
    for (const bad of [
      { op: "test", path: "/a/1", value: 3 },
      { op: "remove", path: "/x" },
      { op: "add", path: "/a/9", value: 1 },
      { op: "add", path: "/x/y", value: 1 },
    ]) {
      expect(() => applyJsonPatch(value, [bad])).toThrow(expect.objectContaining({ code: 422 }));
    }
    expect(value).toEqual({ a: [1, 2], b: { "c/d": 1 } });
  });

  test("M130 a merge patch deletes with null and replaces lists", () => {
    expect(applyMergePatch({ a: { b: 1, c: 2 }, d: [1] }, { a: { b: null }, d: [2], e: { f: null, g: 1 } })).toEqual({
      a: { c: 2 },
      d: [2],
      e: { g: 1 },
    });
  });

  test("M130 a strategic merge patch merges lists by key and follows directives", () => {
    const pod = {
      spec: {
        containers: [
          { name: "a", image: "1", ports: [{ containerPort: 80 }] },
          { name: "b", image: "1" },
        ],
        tolerations: [{ key: "x" }],
      },
    };
    const patch = (spec: object): any => applyStrategicPatch(builtInSchemas, podSchema, pod, { spec });
    expect(patch({ containers: [{ name: "a", image: "2" }] }).spec.containers).toEqual([
      { name: "a", image: "2", ports: [{ containerPort: 80 }] },
      { name: "b", image: "1" },
    ]);
    expect(
      patch({ containers: [{ name: "b", $patch: "delete" }, { name: "c" }] }).spec.containers.map((one: any) => one.name),
    ).toEqual(["a", "c"]);
    expect(patch({ containers: [{ $patch: "replace" }, { name: "c" }] }).spec.containers).toEqual([{ name: "c" }]);
    expect(
      patch({ "$setElementOrder/containers": [{ name: "b" }, { name: "a" }], containers: [{ name: "a" }] }).spec.containers.map(
        (one: any) => one.name,
      ),
    ).toEqual(["b", "a"]);
    expect(patch({ tolerations: [{ key: "y" }] }).spec.tolerations).toEqual([{ key: "y" }]);
    expect(
      applyStrategicPatch(
        builtInSchemas,
        podSchema,
        { metadata: { finalizers: ["a", "b"] } },
        { metadata: { "$deleteFromPrimitiveList/finalizers": ["a"] } },
      ),
    ).toEqual({ metadata: { finalizers: ["b"] } });
    expect(() => patch({ containers: [{ image: "2" }] })).toThrow(expect.objectContaining({ code: 400 }));
  });
});

describe("server-side apply", () => {
  const manager = (name: string) => ({ name, operation: "Apply" as const, nowMs });
  const pod = (containers: object[], labels: Record<string, string> = {}): KubeObject =>
    ({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "p", ...(Object.keys(labels).length > 0 && { labels }) },
      spec: { containers },
    }) as unknown as KubeObject;
  const apply = (live: KubeObject | undefined, given: KubeObject, name: string, force = false): KubeObject => {
    const { object, managedFields } = serverSideApply(builtInSchemas, podSchema, live, given, manager(name), force);
    return { ...object, metadata: { ...object.metadata, managedFields } };
  };
  const names = (object: KubeObject): string[] => object.spec.containers.map((one: any) => one.name);
  const managers = (object: KubeObject): string[] =>
    (object.metadata.managedFields as ManagedFields[]).map((entry) => entry.manager);

  test("M130 each manager owns its own items of a list and removes only those", () => {
    let live = apply(undefined, pod([{ name: "a", image: "1" }], { x: "1" }), "one");
    live = apply(live, pod([{ name: "b", image: "1" }]), "two");
    expect(names(live)).toEqual(["a", "b"]);
    live = apply(live, pod([{ name: "a" }]), "one");
    expect(live.spec.containers).toEqual([{ name: "a" }, { name: "b", image: "1" }]);
    expect(live.metadata.labels).toBeUndefined();
    live = apply(live, { apiVersion: "v1", kind: "Pod", metadata: { name: "p" } } as unknown as KubeObject, "two");
    expect(names(live)).toEqual(["a"]);
    expect(managers(live)).toEqual(["one"]);
  });

  test("M130 a different value for another manager's field is a conflict, and force takes the field over", () => {
    const live = apply(undefined, pod([{ name: "a", image: "1" }]), "one");
    expect(() => apply(live, pod([{ name: "a", image: "2" }]), "two")).toThrow(
      expect.objectContaining({
        code: 409,
        details: {
          causes: [{ reason: "FieldManagerConflict", message: 'conflict with "one"', field: '.spec.containers[name="a"].image' }],
        },
      }),
    );
    const shared = apply(live, pod([{ name: "a", image: "1" }]), "two");
    expect(managers(shared)).toEqual(["one", "two"]);
    const forced = apply(shared, pod([{ name: "a", image: "2" }]), "two", true);
    expect(forced.spec.containers[0].image).toBe("2");
    const one = (forced.metadata.managedFields as ManagedFields[]).find((entry) => entry.manager === "one");
    expect(one?.fieldsV1).toEqual({ "f:spec": { "f:containers": { 'k:{"name":"a"}': { ".": {}, "f:name": {} } } } });
  });

  test("M130 a field with two owners is kept until both release it", () => {
    let live = apply(undefined, pod([], { x: "1" }), "one");
    live = apply(live, pod([], { x: "1" }), "two");
    live = apply(live, pod([]), "one");
    expect(live.metadata.labels).toEqual({ x: "1" });
    live = apply(live, pod([]), "two");
    expect(live.metadata.labels).toBeUndefined();
  });

  test("M130 an update takes ownership of the changed fields from other managers", () => {
    const live = apply(undefined, pod([{ name: "a", image: "1" }], { x: "1" }), "one");
    const next = structuredClone(live);
    next.spec.containers[0].image = "2";
    const tracked = trackUpdate(builtInSchemas, podSchema, live, next, { name: "editor", operation: "Update", nowMs });
    const editor = tracked.find((entry) => entry.manager === "editor");
    expect(editor?.fieldsV1).toEqual({ "f:spec": { "f:containers": { 'k:{"name":"a"}': { "f:image": {} } } } });
    expect(JSON.stringify(tracked.find((entry) => entry.manager === "one")?.fieldsV1)).not.toContain("f:image");
  });
});
