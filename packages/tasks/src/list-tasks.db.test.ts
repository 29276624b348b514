import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { findTask, listTasks, taskColumns } from "./list-tasks.ts";
import { renewTasks } from "./renew.ts";
import { createTask, openTestQueue, passingFault, type TestQueue } from "./testing/test-queue.ts";

let queue: TestQueue;

beforeAll(async () => {
  queue = await openTestQueue();
});
beforeEach(() => queue.clear());
afterAll(() => queue.close());

const page = (part: object = {}) =>
  listTasks(queue.pool, { project: "default", fields: [], limit: 10, after: undefined, ...part });
const uidsOf = (rows: readonly { uid: string }[]) => rows.map(({ uid }) => uid);

describe("M045 tasks are listed", () => {
  test("newest first, page by page, for one project only", async () => {
    const tasks = await queue.enqueue({}, {}, {}, { project: "other" });
    const newestFirst = uidsOf(tasks.slice(0, 3)).toSorted().toReversed();
    const first = await page({ limit: 2 });
    expect(uidsOf(first)).toEqual(newestFirst.slice(0, 2));
    expect(uidsOf(await page({ limit: 2, after: first[1]?.uid }))).toEqual(newestFirst.slice(2));
  });

  test("with filters on every supported field, equal or not equal", async () => {
    const operationUid = createTask().uid;
    const [task] = await queue.enqueue({
      entityKind: "Network",
      entityName: "green",
      type: "network.apply",
      lane: "short",
      operationUid,
    });
    const [other] = await queue.enqueue({ entityName: "red" });
    const agentUid = createTask().uid;
    await queue.lease({ agentUid, types: ["network.apply"] });
    const wanted: Record<keyof typeof taskColumns, string> = {
      "spec.type": "network.apply",
      "spec.entityKind": "Network",
      "spec.entityUid": task?.entityUid ?? "",
      "spec.entityName": "green",
      "spec.operation": `op-${operationUid.slice(-12)}`,
      "spec.lane": "short",
      "status.state": "LEASED",
      "status.agent": agentUid,
    };
    for (const [path, value] of Object.entries(wanted)) {
      const column = taskColumns[path as keyof typeof taskColumns];
      const equal = uidsOf(await page({ fields: [{ column, equal: true, value }] }));
      const others = uidsOf(await page({ fields: [{ column, equal: false, value }] }));
      expect({ path, equal, others }).toEqual({ path, equal: [task?.uid], others: [other?.uid] });
    }
  });

  test("with fields that depend on their state", async () => {
    const [task] = await queue.enqueue({ placement: { cloud: "aws" } });
    expect(JSON.parse((await page())[0]?.object ?? "")).toEqual({
      metadata: {
        project: "default",
        name: `task-${task?.uid}`,
        uid: task?.uid,
        createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      },
      spec: {
        type: "cluster.apply",
        entityKind: "Cluster",
        entityUid: task?.entityUid,
        entityName: "blue",
        lane: "long",
        priority: 0,
        placement: { cloud: "aws" },
        payloadVersion: 1,
        maxAttempts: 3,
      },
      status: { state: "READY", attempt: 0 },
    });
  });
});

describe("M045 one task is shown", () => {
  test("while it runs, with its progress and lease", async () => {
    const [task] = await queue.enqueue({});
    const { uid, leaseToken } = await queue.leaseOne();
    await renewTasks(queue.pool, [{ uid, leaseToken, progress: { percent: 30, message: "subnets" } }], 60);
    const shown = JSON.parse((await findTask(queue.pool, "default", task?.uid ?? "")) ?? "{}") as { status: object };
    expect(shown.status).toMatchObject({
      state: "LEASED",
      attempt: 1,
      progressPercent: 30,
      message: "subnets",
      agent: expect.any(String),
      leaseExpiresAt: expect.any(String),
    });
  });

  test("after it has ended, with its outcome and earlier attempts", async () => {
    await queue.enqueue({});
    await queue.end(await queue.leaseOne(), passingFault);
    await queue.query("update task_line set delayed_until = now()");
    const leased = await queue.leaseOne();
    await queue.end(leased, { state: "done", message: "built", result: { endpoint: "x" } });
    const shown = JSON.parse((await findTask(queue.pool, "default", leased.uid)) ?? "{}") as { status: object };
    expect(shown.status).toMatchObject({
      state: "DONE",
      attempt: 2,
      message: "built",
      attempts: [
        {
          attempt: 1,
          fault: { code: "cloud.throttled", message: "slow down", permanent: false },
          startedAt: expect.any(String),
          endedAt: expect.any(String),
        },
      ],
    });
  });

  test("only within its project", async () => {
    const [task] = await queue.enqueue({});
    expect(await findTask(queue.pool, "other", task?.uid ?? "")).toBeUndefined();
    expect(await findTask(queue.pool, "default", createTask().uid)).toBeUndefined();
  });
});
