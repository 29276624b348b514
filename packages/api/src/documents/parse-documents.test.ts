import { afterAll, describe, expect, test } from "vitest";
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
    drift: Array.from({ length: Math.min(changes, 4) }, (_, index) => ({ address: `aws_vpc.d${index}`, action: "update" })),
    parcel: Buffer.alloc(parcelBytes, 7).toString("base64"),
  };
  return Buffer.from(JSON.stringify(plan));
}

/**
 * Counts the timer ticks of the main thread while `work` is in progress. The count is 0 if the main thread does the work itself. It can be
 * low on a busy machine, because the main thread has to wait for a core.
 */
async function countTurns(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 1);
  await work.finally(() => clearInterval(timer));
  return turns;
}

test("X063 a large plan is parsed while the main thread does other work, with the same result as a small one", async () => {
  const [small, large] = [renderPlan(4, 100), renderPlan(1500, 2 * mebibyte)];
  const plan = parser.parsePlan("default", large, 8 * mebibyte);
  expect(await countTurns(plan)).toBeGreaterThan(0);
  const [{ judged, parcel, changes, drift, changesText, counts }, few] = [
    await plan,
    await parser.parsePlan("default", small, mebibyte),
  ];
  expect(counts).toMatchObject({ create: 1500 });
  expect(judged).toHaveLength(1500);
  expect(judged.slice(0, 4)).toEqual(few.judged);
  expect(parcel.length).toBe(2 * mebibyte);
  expect(changes.slice(0, 4)).toEqual(few.changes);
  expect(drift.map(({ address }) => address)).toEqual(few.drift.map(({ address }) => address));
  expect(drift).toHaveLength(4);
  expect(JSON.parse(changesText)).toEqual(changes);
});

test("X063 a small state or plan is handed to the thread if it has very many values", async () => {
  const many = `[${"{},".repeat(20_000)}{}]`;
  const few = JSON.stringify("x".repeat(many.length));
  const isHandedOver = async (content: Buffer, parse: (content: Buffer) => Promise<unknown>): Promise<boolean> => {
    await parse(content).catch(() => undefined);
    // Ownership of a document's memory moves to the thread.
    return content.length === 0;
  };
  for (const [resources, isMany] of [
    [many, true],
    [few, false],
  ] as const) {
    const render = (name: string): Buffer => Buffer.from(`{"serial":1,"lineage":"a","${name}":${resources}}`);
    expect(await isHandedOver(render("resources"), (content) => parser.parseState("default", content))).toBe(isMany);
    expect(await isHandedOver(render("changes"), (content) => parser.parsePlan("default", content, mebibyte))).toBe(isMany);
  }
});

test("X063 a large state is parsed while the main thread does other work", async () => {
  const state = { serial: 7, lineage: "line", resources: [{ instances: [{}, {}] }], filler: "y".repeat(8 * mebibyte) };
  const content = Buffer.from(JSON.stringify(state));
  const parsing = parser.parseState("default", Buffer.from(content));
  expect(await countTurns(parsing)).toBeGreaterThan(0);
  const parsed = await parsing;
  expect(parsed.head).toEqual({ serial: 7, lineage: "line", resources: 2, managed: 2 });
  expect(parsed.content.equals(content)).toBe(true);
  expect(parsed.md5).toHaveLength(16);
});

test("X063 a plan with too many changes is rejected", async () => {
  const code = "api.body_too_large";
  await expect(parser.parsePlan("default", renderPlan(3000, 10), mebibyte / 4)).rejects.toMatchObject({ code });
});

test("X063 large documents that are malformed get the same faults as small ones, and the next one is parsed", async () => {
  const garbage = (): Buffer => Buffer.from(`{"serial": ${"1".repeat(2 * mebibyte)}`);
  await expect(parser.parsePlan("default", garbage(), mebibyte)).rejects.toMatchObject({ code: "api.plan_malformed" });
  await expect(parser.parseState("default", garbage())).rejects.toMatchObject({ code: "api.state_malformed" });
  const results = await Promise.all(
    [1, 2, 3].map((factor) => parser.parsePlan("default", renderPlan(factor, 2 * mebibyte), mebibyte)),
  );
  expect(results.map(({ judged }) => judged.length)).toEqual([1, 2, 3]);
});

describe("X063 a large stored document is read while the main thread does other work:", () => {
  const renderState = (serial: number, instances: number): Buffer => {
    const resource = (nth: number): object => ({
      mode: "managed",
      type: "aws_subnet",
      name: `n${nth}`,
      instances: [{ attributes: { id: `subnet-${nth}`, size: nth % 7 === 0 ? serial : 0, text: "x".repeat(1500) } }],
    });
    return Buffer.from(
      JSON.stringify({ serial, lineage: "line", resources: Array.from({ length: instances }, (_, nth) => resource(nth)) }),
    );
  };
  const [older, newer] = [renderState(1, 4000), renderState(2, 4000)];

  test("its resources", async () => {
    const reading = parser.listInstances("default", Buffer.from(newer));
    expect(await countTurns(reading)).toBeGreaterThan(0);
    const found = (await reading) ?? [];
    const small = (await parser.listInstances("default", renderState(2, 3))) ?? [];
    expect(found).toHaveLength(4000);
    expect(found.slice(0, 3)).toEqual(small);
    expect(small[0]).toEqual(expect.objectContaining({ address: "aws_subnet.n0", id: "subnet-0", mode: "managed" }));
    const sealed = Buffer.from(JSON.stringify({ serial: 1, lineage: "a", encrypted_data: "x".repeat(2 * mebibyte) }));
    expect(await parser.listInstances("default", sealed)).toBeUndefined();
  });

  test("its differences from another version", async () => {
    const comparing = parser.renderDifference("default", Buffer.from(older), Buffer.from(newer));
    expect(await countTurns(comparing)).toBeGreaterThan(0);
    const { resources } = JSON.parse(await comparing) as { resources: { attributes: string[] }[] };
    expect([resources.length, resources[0]]).toEqual([572, expect.objectContaining({ change: "changed", attributes: ["size"] })]);
    const sealed = Buffer.from(JSON.stringify({ encrypted_data: "x".repeat(2 * mebibyte) }));
    await expect(parser.renderDifference("default", Buffer.from(older), sealed)).rejects.toMatchObject({
      code: "api.state_sealed",
    });
  });

  test("its text, its previous version, its members", async () => {
    const rendering = parser.renderText("default", Buffer.from(newer));
    expect(await countTurns(rendering)).toBeGreaterThan(0);
    expect(JSON.parse(await rendering)).toBe(newer.toString());
    const { head, content, md5 } = await parser.restoreState("default", Buffer.from(older), 9);
    expect([head, md5.length]).toEqual([{ serial: 9, lineage: "line", resources: 4000, managed: 4000 }, 16]);
    expect(JSON.parse(content.toString())).toEqual({ ...(JSON.parse(older.toString()) as object), serial: 9 });
    const merged = JSON.parse(await parser.mergeText("default", { run: { a: 1 }, serial: 5 }, newer.toString())) as object;
    expect(merged).toEqual({ run: { a: 1 }, ...(JSON.parse(newer.toString()) as object) });
  });
});

test("X063 a project that reads many large documents delays neither another project nor an upload", async () => {
  const large = (): Buffer => Buffer.from(JSON.stringify({ serial: 1, resources: [], filler: "x".repeat(mebibyte) }));
  const ended: string[] = [];
  const note = async (name: string, work: Promise<unknown>): Promise<void> => void (await work.then(() => ended.push(name)));
  const greedy = Array.from({ length: 9 }, () => note("greedy", parser.renderText("greedy", large())));
  const refused = { code: "api.documents_busy", kind: "exhausted", retryAfterMs: 5000 };
  await expect(parser.renderText("greedy", large())).rejects.toMatchObject(refused);
  const others = [
    note("calm", parser.renderText("calm", large())),
    note("upload", parser.listInstances("greedy", large(), "upload")),
  ];
  await Promise.all([...greedy, ...others]);
  expect(ended.indexOf("calm")).toBeLessThanOrEqual(3);
  expect(ended).toHaveLength(11);
});
