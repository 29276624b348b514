import { chooseSeed, createRandom } from "@cloudwright/platform/testing";
import { describe, expect, test } from "vitest";
import { requireSize } from "../api/object-size.ts";
import { builtInSchemas } from "../schema/built-in-schemas.ts";
import type { Schema } from "../schema/schema.ts";
import { applyJsonPatch } from "./json-patch.ts";
import { applyStrategicPatch } from "./strategic-merge.ts";

const tooLarge = expect.objectContaining({ code: 413 });
const podSchema = builtInSchemas.find("io.k8s.api.core.v1.Pod") as Schema;

describe("limits of patches", () => {
  test("X063 a JSON patch cannot multiply a document by copying it again and again", () => {
    const patch: object[] = [{ op: "add", path: "/x0", value: ["0123456789"] }];
    for (let round = 0; round < 27; round++) {
      patch.push({ op: "add", path: `/x${round + 1}`, value: [] });
      for (const index of [0, 1]) patch.push({ op: "copy", from: `/x${round}`, path: `/x${round + 1}/${index}` });
    }
    expect(() => applyJsonPatch({}, patch)).toThrow(tooLarge);
    const few = patch.slice(0, 1 + 3 * 5);
    expect(JSON.stringify(applyJsonPatch({}, few)).length).toBeLessThan(10_000);
  });

  test("X063 random copies duplicate at most as many bytes as a request may have", () => {
    const seed = chooseSeed();
    const { below: random } = createRandom(seed);
    for (let round = 0; round < 20; round++) {
      const patch = Array.from({ length: 60 }, (_, index) => ({
        op: "copy",
        from: random(2) === 0 ? "/a" : "",
        path: `/${["a", "b"][random(2)]}/${index}`,
      }));
      let size: number | undefined;
      try {
        size = JSON.stringify(applyJsonPatch({ a: { text: "x".repeat(random(1000)) }, b: {} }, patch)).length;
      } catch (error) {
        size = (error as { code?: number }).code === 413 ? 0 : undefined;
      }
      expect({ seed, size }).toEqual({ seed, size: expect.toSatisfy((bytes: number) => bytes < 8 * 1024 * 1024) });
    }
  });

  test("X063 a JSON patch has a limited number of operations and moves a limited number of list items", () => {
    const operation = { op: "test", path: "/a/0", value: 0 };
    expect(() =>
      applyJsonPatch(
        { a: [0] },
        Array.from({ length: 10_001 }, () => operation),
      ),
    ).toThrow(tooLarge);
    expect(
      applyJsonPatch(
        { a: [0] },
        Array.from({ length: 10_000 }, () => operation),
      ),
    ).toEqual({ a: [0] });
    const list = Array.from({ length: 500_000 }, () => 0);
    const insertFirst = Array.from({ length: 1000 }, () => ({ op: "add", path: "/a/0", value: 1 }));
    expect(() => applyJsonPatch({ a: list }, insertFirst)).toThrow(tooLarge);
    const removeFirst = Array.from({ length: 1000 }, () => ({ op: "remove", path: "/a/0" }));
    expect(() => applyJsonPatch({ a: list }, removeFirst)).toThrow(tooLarge);
    const append = Array.from({ length: 1000 }, () => ({ op: "add", path: "/a/-", value: 1 }));
    expect((applyJsonPatch({ a: list }, append) as { a: unknown[] }).a).toHaveLength(501_000);
  });

  test("X063 malformed operations are rejected", () => {
    for (const malformed of [null, 1, {}, { op: "add" }, { op: "copy", path: "/a" }, { op: "move", path: "/a", from: 7 }])
      expect(() => applyJsonPatch({ a: 1 }, [malformed])).toThrow(expect.objectContaining({ code: 422 }));
  });

  test("X063 a patch that makes an object larger than a request may be is rejected", () => {
    expect(() => requireSize({ data: { text: "x".repeat(3 * 1024 * 1024) } })).toThrow(tooLarge);
    expect(() => requireSize({ data: { text: "x".repeat(2 * 1024 * 1024) } })).not.toThrow();
  });

  test("X063 a strategic merge patch finds items by their key without comparing all pairs", () => {
    let reads = 0;
    const items = (count: number, image: string): object[] =>
      Array.from({ length: count }, (_, index) => {
        const item = { image };
        const read = (): string => (reads++, `c${index}`);
        return Object.defineProperty(item, "name", { get: read, enumerable: true, configurable: true });
      });
    const count = 5000;
    const merged = applyStrategicPatch(
      builtInSchemas,
      podSchema,
      { spec: { containers: items(count, "1") } },
      { spec: { containers: items(count, "2").toReversed(), "$setElementOrder/containers": items(count, "") } },
    ) as { spec: { containers: { name: string; image: string }[] } };
    expect(merged.spec.containers).toHaveLength(count);
    expect(merged.spec.containers[7]).toEqual({ name: "c7", image: "2" });
    expect(reads).toBeLessThan(count * 100);
  });
});
