import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startTestApi, type TestApi } from "../testing/test-api.ts";
import { startRun } from "../testing/state-run.ts";
import { joinTestAgent } from "../testing/test-agent.ts";
import { createTestJudge } from "../testing/test-judge.ts";

const base = "/v1/projects/default";
const judge = createTestJudge();
let api: TestApi;
let agent: string;
let made = 0;

beforeAll(async () => {
  api = await startTestApi({ judge });
  agent = await (await joinTestAgent(api, "system", "ada")).sign();
  await api.must("POST", `${base}/accounts`, { body: { metadata: { name: "main" }, spec: { simulated: true, aws: {} } } });
});
beforeEach(() => {
  judge.plans.length = 0;
});
afterAll(() => api.close());

type Held = Readonly<Record<string, "whole" | "tainted">>;

/** Renders a state that contains clusters with the given ids. Undefined renders a state that Terraform encrypted. */
function renderState(serial: number, held: Held | undefined): Buffer {
  const instances = (id: string): object[] => [
    { index_key: "a", attributes: { id }, ...(held?.[id] === "tainted" ? { status: "tainted" } : {}) },
  ];
  const resources = Object.keys(held ?? {}).map((id) => ({
    mode: "managed",
    type: "aws_eks_cluster",
    name: "this",
    instances: instances(id),
  }));
  return Buffer.from(JSON.stringify({ version: 4, serial, lineage: "line", ...(held === undefined ? {} : { resources }) }));
}

/** Stores these versions of a state and then a plan. Returns the `unfinished` flag that policies see for `aws_eks_cluster.this["a"]`. */
async function judgeAfter(versions: readonly (Held | undefined)[], change: object = {}): Promise<boolean | undefined> {
  made += 1;
  const body = { metadata: { name: `net-${made}` }, spec: { account: "main", region: "eu-west-1" } };
  const entityUid = (await api.must("POST", `${base}/networks`, { body })).body.metadata.uid ?? "";
  const run = await startRun(api, agent, entityUid, { work: { type: "network.plan", entityKind: "Network" } });
  await run.lock("lock-1");
  for (const [index, held] of versions.entries()) {
    expect((await run.post(renderState(index + 1, held), "lock-1")).status).toBe(200);
  }
  await run.unlock("lock-1");
  const address = 'aws_eks_cluster.this["a"]';
  const replaced = { address, resourceType: "aws_eks_cluster", action: "replace", reason: "replace_because_tainted" };
  const counts = { create: 0, update: 0, replace: 1, delete: 0, import: 0 };
  const plan = { serial: versions.length, lineage: "line", counts, changes: [{ ...replaced, ...change }], drift: [] };
  const sent = Buffer.from(JSON.stringify({ ...plan, parcel: Buffer.from("a plan").toString("base64") }));
  expect((await run.send("PUT", { body: sent, query: `/plans/${run.taskUid}` })).status).toBe(204);
  await run.finish();
  return judge.plans[0]?.changes[0]?.unfinished;
}

describe("M049 X032 a resource that a plan recreates because it is tainted", () => {
  test.each<[string, (Held | undefined)[]]>([
    ["it was tainted in the first version", [{ main: "tainted" }]],
    ["it was tainted when it appeared in a later version, and again later", [{}, { main: "tainted" }, { main: "tainted" }]],
    ["another one was complete before it", [{ old: "whole" }, { main: "tainted" }]],
    ["one of the same name was complete, and was gone in between", [{ main: "whole" }, {}, { main: "tainted" }]],
  ])("was never complete: %s", async (_, versions) => {
    expect(await judgeAfter(versions)).toBe(true);
  });

  test.each<[string, (Held | undefined)[]]>([
    ["it was complete, and a user tainted it", [{ main: "whole" }, { main: "tainted" }]],
    ["the same, some versions ago", [{ main: "whole" }, { main: "tainted" }, { main: "tainted" }]],
    ["the state does not mark it as tainted", [{ main: "whole" }]],
    ["an earlier version cannot be read", [undefined, { main: "tainted" }]],
    ["there is no state", []],
  ])("counts as complete: %s", async (_, versions) => {
    expect(await judgeAfter(versions)).toBe(false);
  });

  test.each([
    ["replaced for another reason", { reason: "replace_because_cannot_update" }],
    ["deleted: the old one, while its successor is tainted", { action: "delete" }],
    ["at another address", { address: "aws_eks_cluster.other" }],
  ])("does not include one that is %s", async (_, change) => {
    expect(await judgeAfter([{ main: "tainted" }], change)).toBe(false);
  });
});
