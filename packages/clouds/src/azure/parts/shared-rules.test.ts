import { expect, test } from "vitest";
import { isInRange, listGroups, readMarker, withOwn, withoutGroup, type SecurityRule } from "./shared-rules.ts";

const uidOf = (number: number): string => `0199aaaa-0000-7000-8000-${String(number).padStart(12, "0")}`;
const ownerOf = (number: number) => ({ uid: uidOf(number), part: "this" });
const groupOf = (number: number): string => `/groups/${number}`;

const rule = (name: string, change: Readonly<Record<string, unknown>> = {}) => ({
  name,
  direction: "Inbound",
  access: name.startsWith("deny") ? "Deny" : "Allow",
  protocol: "Tcp",
  source_port_range: "*",
  destination_port_range: "22",
  source_address_prefix: "10.0.0.0/8",
  ...change,
});
const desiredOf = (number: number, ...names: string[]) =>
  [...names, "deny-inbound"].map((name) => rule(name, { destination_application_security_group_ids: [groupOf(number)] }));
const slotsOf = (rules: readonly SecurityRule[]): string[] =>
  rules.map(({ properties }) => `${properties?.direction} ${properties?.priority}`);
const nameOf = (found: SecurityRule | undefined): string => found?.name ?? "";

test("M180 every rule that allows precedes every rule that denies, and no two rules of a direction share a priority", () => {
  const one = withOwn([], ownerOf(1), desiredOf(1, "allow-a", "allow-b"));
  const both = withOwn(one, ownerOf(2), desiredOf(2, "allow-a"));
  expect(new Set(slotsOf(both)).size).toBe(both.length);
  const priorities = (access: string): number[] =>
    both.filter(({ properties }) => properties?.access === access).map(({ properties }) => properties?.priority ?? 0);
  expect(Math.max(...priorities("Allow"))).toBeLessThan(Math.min(...priorities("Deny")));
  // Whatever no group allows is denied even without any group's own rule.
  expect(both.at(-1)).toMatchObject({ properties: { priority: 4096, access: "Deny", sourceAddressPrefix: "*" } });
  expect(listGroups(both)).toEqual([ownerOf(1), ownerOf(2)]);
});

test("M180 a change keeps the priorities of rules that stay, and leaves the rules of other groups as they are", () => {
  const before = withOwn(withOwn([], ownerOf(1), desiredOf(1, "allow-a", "allow-b")), ownerOf(2), desiredOf(2, "allow-a"));
  const after = withOwn(before, ownerOf(1), desiredOf(1, "allow-c", "allow-b"));
  const find = (rules: readonly SecurityRule[], number: number, name: string) =>
    rules.find((each) => nameOf(each) === `cloudwright-${uidOf(number)}-this-${name}`);
  expect(find(after, 1, "allow-a")).toBeUndefined();
  expect(find(after, 1, "allow-b")).toEqual(find(before, 1, "allow-b"));
  for (const name of ["allow-a", "deny-inbound"]) expect(find(after, 2, name)).toEqual(find(before, 2, name));
  expect(withOwn(after, ownerOf(1), desiredOf(1, "allow-c", "allow-b"))).toHaveLength(after.length);
});

test("M042 a rule whose priority was changed outside the platform gets one of its own range again", () => {
  const rules = withOwn([], ownerOf(1), desiredOf(1, "allow-a"));
  const moved = rules.map((each) =>
    nameOf(each).endsWith("allow-a") ? { ...each, properties: { ...each.properties, priority: 4000 } } : each,
  );
  expect(moved.filter((each) => !isInRange(each)).map(nameOf)).toEqual([
    expect.stringContaining("allow-a"),
    expect.stringContaining("base"),
  ]);
  expect(withOwn(moved, ownerOf(1), desiredOf(1, "allow-a"))).toEqual(rules);
});

test("M180 a deleted group leaves with the rules of others that name it as their peer, and with no other rule", () => {
  const toOne = rule("allow-one", {
    source_application_security_group_ids: [groupOf(1)],
    destination_application_security_group_ids: [groupOf(2)],
  });
  const rules = withOwn(withOwn([], ownerOf(1), desiredOf(1)), ownerOf(2), [...desiredOf(2, "allow-a"), toOne]);
  const left = withoutGroup(rules, uidOf(1)).map(nameOf);
  expect(left.map((name) => name.replace(/^cloudwright-(.+-this-)?/, ""))).toEqual([
    "allow-a",
    "deny-inbound",
    "base-deny-inbound",
  ]);
});

test("M180 more rules than Azure allows are rejected before anything is sent", () => {
  let rules: readonly SecurityRule[] = [];
  const names = (count: number): string[] => Array.from({ length: count }, (_none, index) => `allow-${index}`);
  for (let number = 1; number <= 9; number++) rules = withOwn(rules, ownerOf(number), desiredOf(number, ...names(99)));
  expect(() => withOwn(rules, ownerOf(10), desiredOf(10, ...names(99)))).toThrow(
    expect.objectContaining({ code: "clouds.quota" }),
  );
  expect(withOwn(rules, ownerOf(10), desiredOf(10, ...names(98)))).toHaveLength(1000);
});

test("M180 only the rule that every group has names its owner", () => {
  expect(readMarker(`cloudwright-${uidOf(1)}-this-deny-inbound`)).toEqual(ownerOf(1));
  for (const name of ["cloudwright-base-deny-inbound", `cloudwright-${uidOf(1)}-this-allow-a`, "mine"])
    expect(readMarker(name)).toBeUndefined();
});
