import { createManualClock } from "@cloudwright/platform";
import { expect, test } from "vitest";
import { createUploadTurns, type UploadLimits } from "./upload-turns.ts";

const limits: UploadLimits = { total: 4, perProject: 2, perAgent: 3, perMinute: 100, waitMs: 10_000 };
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("X063 uploads of one project or one agent leave room for others", async () => {
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
  expect(started).toEqual(["a x", "a x", "b x", "d y", "a y"]);
  (await other)();
  await settle();
  expect(started.at(-1)).toBe("c x");
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
