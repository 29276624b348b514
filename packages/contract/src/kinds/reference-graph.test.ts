import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { KindDeclaration, KindReference } from "./kind.ts";
import {
  listLinks,
  listNames,
  listOwners,
  listReferrers,
  orderByReferences,
  replaceNames,
  withParent,
} from "./reference-graph.ts";

function declare(kind: string, references: readonly KindReference[]): KindDeclaration {
  return { kind, collection: `${kind}s`, words: [kind], scope: "project", provisioned: true, references };
}

const one = (kind: string, field: string, owning = false): KindReference => ({ kind, field, many: false, owning });
const many = (kind: string, field: string): KindReference => ({ kind, field, many: true, owning: false });

/** Random kinds in random order. Each kind references some of the kinds with lower numbers, so diamonds are common. */
const graphs = fc
  .array(fc.array(fc.record({ to: fc.nat(), many: fc.boolean(), owning: fc.boolean() }), { maxLength: 4 }), {
    minLength: 1,
    maxLength: 12,
  })
  .chain((drafts) => {
    const kinds = drafts.map((drafted, index) => {
      const references = drafted.map(({ to, ...rest }, at) => ({ kind: `K${to % (index + 1)}`, field: `f${at}`, ...rest }));
      return declare(`K${index}`, references);
    });
    return fc.shuffledSubarray(kinds, { minLength: kinds.length });
  });

describe("the graph of references between kinds", () => {
  test("every kind is created after all kinds it references, and deleted before them, in any graph", () => {
    fc.assert(
      fc.property(graphs, (kinds) => {
        const order = orderByReferences(kinds).map(({ kind }) => kind);
        expect(order.toSorted()).toEqual(kinds.map(({ kind }) => kind).toSorted());
        for (const { kind, references } of kinds) {
          for (const { kind: to } of references.filter((reference) => reference.kind !== kind))
            expect(order.indexOf(to)).toBeLessThan(order.indexOf(kind));
        }
      }),
    );
  });

  test("the referrers of a kind are those that reference it", () => {
    fc.assert(
      fc.property(graphs, (kinds) => {
        for (const { kind } of kinds) {
          for (const other of kinds) {
            const expected = other.references.some((reference) => reference.kind === kind);
            expect(listReferrers(kinds, kind).includes(other)).toBe(expected);
          }
        }
      }),
    );
  });

  test("kinds that reference each other in a cycle are rejected", () => {
    const circle = [declare("A", [one("B", "b")]), declare("B", [one("C", "c")]), declare("C", [one("A", "a")])];
    expect(() => orderByReferences(circle)).toThrow("A, B, C");
    expect(orderByReferences([declare("A", [one("A", "a")])])).toHaveLength(1);
  });

  test("an instance references a network, several security groups and a key; a cluster references many instances", () => {
    const network = declare("Network", []);
    const group = declare("SecurityGroup", [one("Network", "network", true)]);
    const key = declare("SshKey", []);
    const instance = declare("Instance", [
      one("Network", "network", true),
      many("SecurityGroup", "securityGroups"),
      one("SshKey", "sshKey"),
    ]);
    const cluster = declare("Cluster", [one("Network", "network", true), many("Instance", "machines.instances")]);
    const order = orderByReferences([cluster, instance, key, group, network]).map(({ kind }) => kind);
    expect(order).toEqual(["SshKey", "Network", "SecurityGroup", "Instance", "Cluster"]);
    expect(listLinks(instance).map(({ field }) => field)).toEqual(["securityGroups", "sshKey"]);
    expect(withParent(instance).parent).toEqual({ kind: "Network", field: "network" });
  });

  test("storage may belong to an account or a network", () => {
    const storage = declare("Storage", [one("Account", "account", true), one("Network", "network", true)]);
    expect(listOwners(storage).map(({ kind }) => kind)).toEqual(["Account", "Network"]);
  });
});

describe("the names in a spec", () => {
  const spec = { network: "main", machines: { instances: ["a", "", "b"] }, pools: [{ key: "k" }, { key: "l" }, {}] };

  test.each([
    ["network", ["main"]],
    ["machines.instances", ["a", "b"]],
    ["pools.key", ["k", "l"]],
    ["absent.field", []],
  ])("are found at %s", (field, names) => {
    expect(listNames(spec, { field })).toEqual(names);
  });

  test("do not include the word that stands for the entity itself", () => {
    const rules = { rules: [{ group: "web" }, { group: "self" }, { group: "" }] };
    expect(listNames(rules, { field: "rules.group", selfWord: "self" })).toEqual(["web"]);
    expect(listNames(rules, { field: "rules.group" })).toEqual(["web", "self"]);
  });

  test("are replaced in place", () => {
    const upper = (name: string): string => name.toUpperCase();
    expect(replaceNames(spec, { field: "machines.instances" }, upper).machines.instances).toEqual(["A", "", "B"]);
    expect(replaceNames(spec, { field: "pools.key" }, upper).pools).toEqual([{ key: "K" }, { key: "L" }, {}]);
    expect(replaceNames(spec, { field: "absent.field" }, upper)).toEqual(spec);
  });
});
