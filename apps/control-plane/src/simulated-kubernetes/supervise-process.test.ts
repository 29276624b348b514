import { createLogger, createManualClock, processEnvironment, systemClock } from "@cloudwright/platform";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { forkProcess, pong, superviseProcess, type PingedProcess } from "./supervise-process.ts";

const log = createLogger({ level: "silent", name: "test" });
const folder = mkdtempSync(join(tmpdir(), "supervised-"));
afterAll(() => rmSync(folder, { recursive: true }));
const writeProgram = (name: string, text: string): URL => {
  const file = join(folder, `${name}.mjs`);
  writeFileSync(file, text);
  return pathToFileURL(file);
};
const limits = { everyMs: 50, mostUnanswered: 10, mostToStart: 400 };

/** A process that answers pings until it becomes stuck. */
function createFakeProcess(): PingedProcess & { answers: boolean; pings: number; isKilled: boolean } {
  const { promise, resolve } = Promise.withResolvers<string>();
  const listeners: ((message: unknown) => void)[] = [];
  const fake = {
    answers: true,
    pings: 0,
    isKilled: false,
    ended: promise,
    ping() {
      fake.pings++;
      if (fake.answers) for (const listener of listeners) listener(pong);
    },
    stop: () => resolve("stopped"),
    kill() {
      fake.isKilled = true;
      resolve("killed");
    },
    onMessage(listener: (message: unknown) => void) {
      listeners.push(listener);
      listener("started");
    },
  };
  return fake;
}

describe("supervision of a simulation process", () => {
  test("X063 a process that stops answering is killed and restarted, and one that answers is left alone", async () => {
    const clock = createManualClock();
    const started: ReturnType<typeof createFakeProcess>[] = [];
    const start = (): PingedProcess => {
      const fake = createFakeProcess();
      started.push(fake);
      return fake;
    };
    const stop = new AbortController();
    const running = superviseProcess({ clock, log, onMessage: () => undefined }, start, stop.signal);
    const tick = async (): Promise<void> => {
      clock.advance(1000);
      for (let turn = 0; turn < 10; turn++) await Promise.resolve();
    };
    for (let second = 0; second < 100; second++) await tick();
    expect([started.length, started[0]?.isKilled]).toEqual([1, false]);
    expect(started[0]?.pings).toBeGreaterThan(50);
    (started[0] as { answers: boolean }).answers = false;
    for (let second = 0; second < 10; second++) await tick();
    expect([started.length, started[0]?.isKilled, started[1]?.isKilled]).toEqual([2, true, false]);
    stop.abort();
    await running;
    expect(started).toHaveLength(2);
  });

  test("X063 a process that is blocked or exhausts its memory ends without affecting others, and its replacement serves requests", async () => {
    const serve = `process.on("message", (message) => message === "stop" ? process.exit() : process.send("pong"));`;
    const programs = [
      writeProgram("bomb", `process.send("bomb"); let x = []; for (;;) x.push(new Array(1e5).fill(x.length));`),
      writeProgram("blocked", `process.send("blocked"); for (;;);`),
      writeProgram("good", `${serve} process.once("disconnect", () => process.exit()); process.send("serving");`),
    ];
    const stop = new AbortController();
    const messages: unknown[] = [];
    let next = 0;
    const serving = Promise.withResolvers<void>();
    const onMessage = (message: unknown): void => {
      messages.push(message);
      if (message === "serving") serving.resolve();
    };
    const start = (): PingedProcess => forkProcess(programs[Math.min(next++, programs.length - 1)] as URL, 32, { secret: "x" });
    const running = superviseProcess({ clock: systemClock, log, onMessage }, start, stop.signal, limits);
    await serving.promise;
    expect(messages).toEqual(["bomb", "blocked", "serving"]);
    stop.abort();
    await running;
    expect(next).toBe(3);
  });

  test("M064 the process does not get any of the server's variables that may contain a secret", async () => {
    const program = writeProgram("environment", "process.send(Object.keys(process.env)); process.exit();");
    const names = Promise.withResolvers<unknown>();
    const child = forkProcess(program, 64, {});
    child.onMessage(names.resolve);
    await child.ended;
    // vitest sets this variable in the parent process.
    expect(processEnvironment["VITEST"]).toBeDefined();
    expect(await names.promise).not.toContain("VITEST");
    expect(await names.promise).toContain("PATH");
  });
});
