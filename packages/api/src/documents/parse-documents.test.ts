import { afterAll, expect, test } from "vitest";
import { createDocumentParser } from "./parse-documents.ts";

const parser = createDocumentParser();
afterAll(() => parser.close());

const mebibyte = 1024 * 1024;

function renderPlan(changes: number, parcelBytes: number): Buffer {
  const plan = {
    serial: 3,
    lineage: "a",
    counts: { create: changes },
    changes: Array.from({ length: changes }, (_, index) => ({
      address: `aws_vpc.n${index}`,
      resourceType: "aws_vpc",
      action: "create",
      values: { before: null, after: { cidr: "10.0.0.0/16", text: "x".repeat(1000) } },
    })),
    parcel: Buffer.alloc(parcelBytes, 7).toString("base64"),
  };
  return Buffer.from(JSON.stringify(plan));
}

/** Counts the timer ticks of the main thread while `work` is in progress. */
async function countTurns(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 1);
  await work.finally(() => clearInterval(timer));
  return turns;
}

test("X063 a large plan is parsed while the main thread does other work, with the same result as a small one", async () => {
  const [small, large] = [renderPlan(4, 100), renderPlan(1500, 2 * mebibyte)];
  const plan = parser.parsePlan(large, 8 * mebibyte);
  expect(await countTurns(plan)).toBeGreaterThan(3);
  const [{ judged, parcel, changes, changesText, counts }, few] = [await plan, await parser.parsePlan(small, mebibyte)];
  expect(counts).toMatchObject({ create: 1500 });
  expect(judged).toHaveLength(1500);
  expect(judged.slice(0, 4)).toEqual(few.judged);
  expect(parcel.length).toBe(2 * mebibyte);
  expect(changes.slice(0, 4)).toEqual(few.changes);
  expect(JSON.parse(changesText)).toEqual(changes);
});

test("X063 a large state is parsed while the main thread does other work", async () => {
  const state = { serial: 7, lineage: "line", resources: [{ instances: [{}, {}] }], filler: "y".repeat(8 * mebibyte) };
  const content = Buffer.from(JSON.stringify(state));
  const parsing = parser.parseState(Buffer.from(content));
  expect(await countTurns(parsing)).toBeGreaterThan(3);
  const parsed = await parsing;
  expect(parsed.head).toEqual({ serial: 7, lineage: "line", resources: 2 });
  expect(parsed.content.equals(content)).toBe(true);
  expect(parsed.md5).toHaveLength(16);
});

test("X063 a plan with too many changes is rejected", async () => {
  const code = "api.body_too_large";
  await expect(parser.parsePlan(renderPlan(3000, 10), mebibyte / 4)).rejects.toMatchObject({ code });
});

test("X063 large documents that are malformed get the same faults as small ones, and the next one is parsed", async () => {
  const garbage = (): Buffer => Buffer.from(`{"serial": ${"1".repeat(2 * mebibyte)}`);
  await expect(parser.parsePlan(garbage(), mebibyte)).rejects.toMatchObject({ code: "api.plan_malformed" });
  await expect(parser.parseState(garbage())).rejects.toMatchObject({ code: "api.state_malformed" });
  const results = await Promise.all([1, 2, 3].map((factor) => parser.parsePlan(renderPlan(factor, 2 * mebibyte), mebibyte)));
  expect(results.map(({ judged }) => judged.length)).toEqual([1, 2, 3]);
});
