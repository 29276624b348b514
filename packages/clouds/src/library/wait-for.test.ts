import { createManualClock, Fault } from "@cloudwright/platform";
import { expect, test } from "vitest";
import { createCloudFault, type ErrorCategory } from "./errors.ts";
import { waitFor, type Wait } from "./wait-for.ts";

const fault = (category: ErrorCategory): Fault => createCloudFault("refused by the test", { cloud: "aws", category });

/** Runs a wait that reads the given results in order. Only pauses advance the clock. The last result repeats. */
async function run(results: readonly (string | Error)[], change: Partial<Wait<string>> = {}) {
  let nowMs = 0;
  let reads = 0;
  const pauses: number[] = [];
  const clock = {
    now: () => nowMs,
    async sleep(ms: number): Promise<void> {
      pauses.push(ms);
      nowMs += ms;
    },
  };
  const end = await waitFor<string>(clock, {
    cloud: "aws",
    describe: (last) => `it is still ${last}`,
    timeoutMs: 60_000,
    async read() {
      const result = results[Math.min(reads, results.length - 1)] as string | Error;
      reads += 1;
      if (result instanceof Error) throw result;
      return result;
    },
    isDone: (value) => value === "ACTIVE",
    ...change,
  }).catch((error: unknown) => error as Error);
  return { end, reads, pauses };
}

test("M147 a wait ends with the desired state, and its pauses grow to ten seconds", async () => {
  const { end, pauses } = await run([...Array.from({ length: 9 }, () => "CREATING"), "ACTIVE"]);
  expect(end).toBe("ACTIVE");
  expect(pauses).toEqual([250, 500, 1000, 2000, 4000, 8000, 10_000, 10_000, 10_000]);
});

test("M147 a wait that takes too long throws clouds.timeout with the last state", async () => {
  const { end, pauses } = await run(["CREATING"]);
  expect(end).toMatchObject({
    code: "clouds.timeout",
    extra: { category: "timeout" },
    message: "it is still CREATING after 60 seconds",
  });
  expect(pauses.reduce((sum, ms) => sum + ms, 0)).toBe(60_000);
});

test("M147 throttling and outages do not end a wait, and other refusals do", async () => {
  expect((await run([fault("throttled"), fault("unavailable"), "ACTIVE"])).end).toBe("ACTIVE");
  for (const category of ["auth", "denied", "not_found", "invalid", "quota", "conflict"] as const)
    expect((await run([fault(category), "ACTIVE"])).end).toMatchObject({ extra: { category } });
  const outage = fault("unavailable");
  expect((await run([outage])).end).toMatchObject({ code: "clouds.timeout", cause: outage });
});

test("M147 a new resource may be missing for a while", async () => {
  expect((await run([fault("not_found"), fault("not_found"), "ACTIVE"], { notFoundMs: 5000 })).end).toBe("ACTIVE");
  expect((await run([fault("not_found")], { notFoundMs: 5000 })).end).toMatchObject({ code: "clouds.not_found" });
});

test("M147 a signal ends a wait with its reason", async () => {
  const clock = createManualClock();
  const stop = new AbortController();
  const reason = new Error("enough");
  const waiting = waitFor(clock, {
    cloud: "aws",
    describe: () => "it is not done",
    timeoutMs: 60_000,
    signal: stop.signal,
    read: async () => "CREATING",
    isDone: () => false,
  });
  setImmediate(() => stop.abort(reason));
  await expect(waiting).rejects.toBe(reason);
});
