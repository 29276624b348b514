import type { AnyEntity, KindName, Stored } from "@cloudwright/api-client";
import { expect, test } from "vitest";
import { layOutTree } from "./lay-out-tree.ts";

type Kinds = Parameters<typeof layOutTree>[0];

function entities(...named: readonly (readonly [name: string, parent: string])[]): ReadonlyMap<string, Stored<AnyEntity>> {
  return new Map(named.map(([name, parent]) => [name, { metadata: { name, uid: name, parent } } as Stored<AnyEntity>]));
}

function fleet(accounts: number, networks: number, clusters: number): Kinds {
  const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);
  const accountNames = numbers(accounts).map((number) => `a${number}`);
  const networkNames = accountNames.flatMap((name) => numbers(networks).map((number) => [`${name}n${number}`, name] as const));
  const clusterNames = networkNames.flatMap(([name]) => numbers(clusters).map((number) => [`${name}c${number}`, name] as const));
  const kinds: Partial<Record<KindName, ReadonlyMap<string, Stored<AnyEntity>>>> = {
    Account: entities(...accountNames.map((name) => [name, ""] as const)),
    Network: entities(...networkNames),
    Cluster: entities(...clusterNames),
    Storage: entities(["files", "a1n1c1"]),
  };
  return kinds as Kinds;
}

test("M029 two accounts with three networks of five clusters each fit on a screen, and boxes do not overlap", () => {
  const { boxes, lines, width, height } = layOutTree(fleet(2, 3, 5));
  const drawn = boxes.filter(({ shape }) => shape === "entity");
  expect(drawn).toHaveLength(2 + 6 + 30);
  expect(lines).toHaveLength(6 + 6);
  expect(width).toBeLessThan(1280);
  expect(height).toBeLessThan(1100);
  const overlapping = drawn.flatMap((a, index) =>
    drawn
      .slice(index + 1)
      .filter((b) => a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height),
  );
  expect(overlapping).toEqual([]);
});

test("M029 the contents of a cluster are drawn in its box; entities beyond the limit are counted", () => {
  const { boxes } = layOutTree(fleet(1, 1, 100));
  const first = boxes.find(({ id }) => id === "a1n1c1");
  expect(first).toMatchObject({ within: [{ kind: "Storage" }] });
  expect(boxes.find(({ shape }) => shape === "more")).toMatchObject({ count: 70, network: "a1n1" });
});
