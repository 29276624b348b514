import type { JudgedChange, JudgedEntity } from "@cloudwright/api";
import { loadRules } from "@cloudwright/policy";
import { afterEach, expect, test } from "vitest";
import { decidePlan } from "./decide-plan.ts";
import { createPlanJudge, type PlanJudge } from "./judge-plans.ts";
import { readRuleFiles } from "./read-rule-files.ts";
import { isHeavier, weigh } from "./weigh-value.ts";

const placed: JudgedEntity = {
  kind: "Network",
  metadata: { name: "net", project: "default", labels: {} },
  spec: { region: "eu-west-1" },
  account: { kind: "Account", metadata: { name: "acme" }, spec: { aws: {} } },
  parents: [],
};
const rest = { placed, allow: [], upgradedFrom: "" };
const listChanges = (count: number): JudgedChange[] =>
  Array.from({ length: count }, (_, index) => ({
    address: `aws_vpc.n${index}`,
    type: "aws_vpc",
    action: "replace",
    reason: "",
    unfinished: false,
    replacePaths: ["cidr_block"],
    before: { cidr_block: "10.0.0.0/16" },
    after: { cidr_block: "10.1.0.0/16" },
  }));

let judges: PlanJudge[] = [];
afterEach(async () => {
  for (const judge of judges) await judge.close();
  judges = [];
});

function create(mainRules: typeof files, threadRules: typeof files): PlanJudge {
  const judge = createPlanJudge(loadRules(mainRules), threadRules);
  judges.push(judge);
  return judge;
}

const files = readRuleFiles(undefined);

test("X063 the policies evaluate a plan with 20,000 changes in a thread, with the same findings", async () => {
  // The main thread has no rules, so all findings come from the thread.
  const judge = create([], files);
  const changes = listChanges(20_000);
  const found = await judge.judge({ ...rest, changes });
  expect(found.length).toBeGreaterThan(100);
  expect(found).toEqual(decidePlan(loadRules(files), { ...rest, changes }));
  expect(await judge.judge({ ...rest, changes: changes.slice(0, 10) })).toEqual([]);
});

test("X063 plans that are evaluated in the thread at the same time do not mix", async () => {
  const judge = create([], files);
  const counts = [600, 1200, 700];
  const found = await Promise.all(counts.map((count) => judge.judge({ ...rest, changes: listChanges(count) })));
  expect(found.map((findings) => findings.find(({ path }) => path === "")?.message)).toEqual(
    counts.map((count) => `and ${count - 100} more violations of this rule`),
  );
});

test("X063 a plan with few changes and many values is evaluated in the thread too", async () => {
  const judge = create([], files);
  const [change] = listChanges(1);
  const large = { ...change, after: Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`a${index}`, index])) };
  expect(await judge.judge({ ...rest, changes: [large as JudgedChange] })).toHaveLength(1);
});

test("X063 a value is weighed only as far as necessary", () => {
  expect(weigh({ a: [1, "x".repeat(640)], b: null })).toBe(15);
  expect([isHeavier([1, 2], 2), isHeavier([1, 2], 3)]).toEqual([true, false]);
  let reads = 0;
  const counted = {
    a: [0, 0, 0],
    get b() {
      return (reads += 1);
    },
  };
  expect(isHeavier([counted, ...Array.from({ length: 10 }, () => 0)], 5)).toBe(true);
  expect(reads).toBe(0);
});
