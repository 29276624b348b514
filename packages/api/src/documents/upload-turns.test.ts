import { createManualClock } from "@cloudwright/platform";
import { expect, test } from "vitest";
import { createUploadTurns, type UploadLimits } from "./upload-turns.ts";

const limits: UploadLimits = {
  total: 4,
  perProject: 2,
  perAgent: 3,
  perMinute: 100,
  waitMs: 10_000,
  waiting: 10,
  receiveMs: 1000,
};
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("X063 uploads from one project or one agent leave capacity for others", async () => {
  const turns = createUploadTurns({ clock: createManualClock() }, limits);
  const started: string[] = [];
  const take = (project: string, agent: string): Promise<() => void> =>
    turns.take({ project, agent }).then((end) => {
      started.push(`${project} ${agent}`);
      return end;
    });
  const greedy = [take("a", "x"), take("a", "x"), take("a", "y"), take("a", "z")];
  const other = take("b", "x");
  const sameAgent = take("c", "x");
  await settle();
  expect(started).toEqual(["a x", "a x", "b x"]);
  const last = take("d", "y");
  await settle();
  expect(started).toEqual(["a x", "a x", "b x", "d y"]);
  const end = await (greedy[0] as Promise<() => void>);
  end();
  end();
  await settle();
  expect(started).toEqual(["a x", "a x", "b x", "d y", "c x"]);
  (await other)();
  await settle();
  expect(started.at(-1)).toBe("a y");
  for (const turn of [greedy[1], greedy[2], last, sameAgent]) (await (turn as Promise<() => void>))();
  await settle();
  expect(started.at(-1)).toBe("a z");
});

test("X063 an upload that waits too long, or a project that uploads too often, is told to retry", async () => {
  const clock = createManualClock();
  const turns = createUploadTurns({ clock }, { ...limits, perProject: 1, perMinute: 3, waitMs: 1 });
  const end = await turns.take({ project: "a", agent: "x" });
  const code = "api.uploads_busy";
  await expect(turns.take({ project: "a", agent: "x" })).rejects.toMatchObject({ code, retryAfterMs: 1000 });
  end();
  (await turns.take({ project: "a", agent: "x" }))();
  await expect(turns.take({ project: "a", agent: "x" })).rejects.toMatchObject({ code });
  (await turns.take({ project: "b", agent: "x" }))();
  clock.advance(20_000);
  (await turns.take({ project: "a", agent: "x" }))();
});

test("X063 a free turn goes to the project that has waited longest, not to the one with the most waiting uploads", async () => {
  const turns = createUploadTurns({ clock: createManualClock() }, { ...limits, total: 1 });
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const take = (project: string): void =>
    void turns.take({ project, agent: "shared" }).then((end) => {
      started.push(project);
      ends.push(end);
    });
  for (let nth = 0; nth < 5; nth += 1) take("greedy");
  take("calm");
  await settle();
  for (let nth = 0; nth < 3; nth += 1) {
    ends.shift()?.();
    await settle();
  }
  expect(started).toEqual(["greedy", "calm", "greedy", "greedy"]);
  for (; ends.length > 0; await settle()) ends.shift()?.();
});

test("X063 uploads beyond the number that may wait are rejected, and other projects' uploads through the same agent still wait", async () => {
  const turns = createUploadTurns({ clock: createManualClock() }, { ...limits, total: 1, waiting: 3 });
  const end = await turns.take({ project: "other", agent: "other" });
  const waiting = [1, 2, 3].map(() => turns.take({ project: "a", agent: "x" }));
  const crowded = { code: "api.uploads_busy", kind: "exhausted", retryAfterMs: 5000 };
  await expect(turns.take({ project: "a", agent: "y" })).rejects.toMatchObject(crowded);
  const calm = ["x", "y"].map((agent) => turns.take({ project: "b", agent }));
  const served = Promise.all([...waiting, ...calm].map(async (turn) => (await turn)()));
  end();
  expect(await served).toHaveLength(5);
});

test("X063 an upload whose client disconnects stops waiting", async () => {
  const turns = createUploadTurns({ clock: createManualClock() }, { ...limits, total: 1, waiting: 1 });
  const end = await turns.take({ project: "a", agent: "x" });
  const gone = new AbortController();
  const left = turns.take({ project: "a", agent: "x" }, gone.signal);
  gone.abort();
  await expect(left).rejects.toMatchObject({ code: "api.timeout" });
  const next = turns.take({ project: "a", agent: "x" });
  end();
  (await next)();
});
