import { expect, test } from "vitest";
import type { Drift } from "./describe-drift.ts";
import { addAuthors } from "./find-authors.ts";

const item = {
  address: "aws_vpc.a",
  resourceType: "aws_vpc",
  action: "update",
  paths: ["tags"],
  attributes: [],
  id: "vpc-1",
} as const;
const drift: Drift = { drifted: true, summary: "", items: [item, { ...item, address: "aws_vpc.b", id: "vpc-2" }], ignored: 0 };
const lines: string[] = [];
const task = { log: (line: string) => void lines.push(line), progress: () => undefined };

test("X080 drift names the author of each change that the audit trail contains", async () => {
  const change = { type: "aws_vpc", id: "vpc-1", author: "alice", action: "CreateTags", at: new Date(0) };
  const { items } = await addAuthors(task, async () => ({ findAuthors: async () => [change] }), drift);
  expect(items).toMatchObject([{ author: "alice", authorAction: "CreateTags", changedAt: "1970-01-01T00:00:00.000Z" }, {}]);
  expect(items[1]).not.toHaveProperty("author");
});

test("X080 drift is reported without authors if the trail cannot be read or does not exist", async () => {
  const refuse = async (): Promise<never> => Promise.reject(new Error("access denied"));
  expect(await addAuthors(task, async () => ({ findAuthors: refuse }), drift)).toEqual(drift);
  expect(lines.at(-1)).toContain("access denied");
  expect(await addAuthors(task, async () => ({}), drift)).toEqual(drift);
  const nothing = { ...drift, items: [] };
  expect(await addAuthors(task, refuse, nothing)).toBe(nothing);
});
