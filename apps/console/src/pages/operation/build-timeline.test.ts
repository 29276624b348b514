import { expect, test } from "vitest";
import { buildTimeline, listTicks } from "./build-timeline.ts";

const at = (second: number): string => new Date(second * 1000).toISOString();
const task = (uid: string, type: string, second: number, reason: string, attempt = 0) => ({
  at: at(second),
  source: "task",
  reason,
  task: uid,
  attempt,
  taskType: type,
  message: `${type} happened`,
  actor: "agent:edge",
});
const step = (name: string, state: string, times: readonly [number?, number?] = [], uid = "") => ({
  name,
  state,
  task: uid,
  ...(times[0] === undefined ? {} : { startedAt: at(times[0]) }),
  ...(times[1] === undefined ? {} : { endedAt: at(times[1]) }),
});
const build = (steps: ReturnType<typeof step>[], entries: ReturnType<typeof task>[], over?: number, now = 100) =>
  buildTimeline(
    { steps, createdAt: at(0), endedAt: over === undefined ? undefined : at(over), isOpen: over === undefined },
    entries,
    now * 1000,
  );
const told = ({ rows }: ReturnType<typeof build>) =>
  rows.map(({ name, spans }) => [
    name,
    ...spans.map((span) => `${span.kind} ${span.tone} ${span.from / 1000}-${(span.to ?? NaN) / 1000}`),
  ]);

test("X015 a step shows how long its task waited, each attempt and the pause between attempts", () => {
  const picture = build(
    [step("plan", "DONE", [1, 20], "t1")],
    [
      task("t1", "network.plan", 1, "TaskEnqueued"),
      task("t1", "network.plan", 3, "TaskStarted", 1),
      task("t1", "network.plan", 8, "TaskAttemptFailed", 1),
      task("t1", "network.plan", 12, "TaskStarted", 2),
      task("t1", "network.plan", 20, "TaskDone", 2),
    ],
    20,
  );
  expect(told(picture)).toEqual([["plan", "wait idle 1-3", "work bad 3-8", "pause idle 8-12", "work good 12-20"]]);
  expect([picture.from, picture.to, picture.rows[0]?.attempts]).toEqual([0, 20_000, 2]);
  expect(picture.rows[0]?.spans[1]?.title).toContain("attempt 1, agent:edge");
});

test("X015 open spans have no end, waits for a person show when they started, and the axis ends at the current time", () => {
  const picture = build(
    [step("plan", "DONE", [1, 4], "t1"), step("approval", "WAITING"), step("infrastructure", "WAITING")],
    [
      task("t1", "network.plan", 1, "TaskEnqueued"),
      task("t1", "network.plan", 1, "TaskStarted", 1),
      task("t1", "network.plan", 4, "TaskDone", 1),
    ],
  );
  expect(told(picture)).toEqual([["plan", "work good 1-4"], ["approval", "wait warn 4-NaN"], ["infrastructure"]]);
  expect(picture.to).toBe(100_000);
  const running = build([step("apply", "RUNNING", [5], "t2")], [task("t2", "a.apply", 5, "TaskStarted", 1)]);
  expect(told(running)).toEqual([["apply", "work busy 5-NaN"]]);
});

test("X015 earlier tasks of a step appear in its row, and tasks without a step have their own rows", () => {
  const entries = ["t1", "t2"].flatMap((uid, round) => [
    task(uid, "network.apply", 10 * round, "TaskStarted", 1),
    task(uid, "network.apply", 10 * round + 5, round === 0 ? "TaskFailed" : "TaskDone", 1),
  ]);
  const other = [task("t3", "network.check", 1, "TaskStarted", 1), task("t3", "network.check", 2, "TaskCancelled", 1)];
  expect(told(build([step("infrastructure", "DONE", [0, 15], "t2")], [...entries, ...other], 15))).toEqual([
    ["infrastructure", "work bad 0-5", "work good 10-15"],
    ["network.check", "work idle 1-2"],
  ]);
});

test("X015 requests and decisions are moments, and an empty operation still has an axis", () => {
  const moment = { at: at(2), source: "api", reason: "Created", message: "Network created", actor: "admin" };
  const { moments } = buildTimeline({ steps: [], createdAt: at(0), endedAt: at(3), isOpen: false }, [moment], 0);
  expect(moments).toEqual([{ at: 2000, tone: "good", title: "Network created · admin" }]);
  expect(build([], [], 0).to).toBe(1000);
});

test("X015 an axis has a few ticks at round values", () => {
  expect(listTicks(4200)).toEqual([0, 1000, 2000, 3000, 4000]);
  expect(listTicks(600_000).length).toBeLessThanOrEqual(9);
  expect(listTicks(30 * 86_400_000).length).toBeLessThanOrEqual(9);
});
