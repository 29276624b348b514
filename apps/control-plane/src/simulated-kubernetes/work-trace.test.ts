import { createLogger, systemClock } from "@cloudwright/platform";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { forkProcess, superviseProcess, type PingedProcess } from "./supervise-process.ts";
import { createWorkTrace, findCulprit, type Culprit } from "./work-trace.ts";

const log = createLogger({ level: "silent", name: "test" });
const folder = mkdtempSync(join(tmpdir(), "work-trace-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("the work trace of a simulation process", () => {
  test("X063 the culprit is the cluster that the process was working for, or else the one that it was loading", () => {
    const path = join(folder, "trace");
    expect(findCulprit(path)).toBeUndefined();
    const trace = createWorkTrace(path);
    expect(findCulprit(path)).toBeUndefined();
    trace.setLoading("one-cluster-with-a-long-name");
    expect(findCulprit(path)).toEqual({ cluster: "one-cluster-with-a-long-name" });
    trace.setRunning("two");
    expect(findCulprit(path)).toEqual({ cluster: "two" });
    trace.setRunning(undefined);
    expect(findCulprit(path)).toEqual({ cluster: "one-cluster-with-a-long-name" });
    trace.setLoading(undefined);
    expect(findCulprit(path)).toBeUndefined();
  });

  test("X063 the culprit is the account whose resources were being read, unless the process was working for a cluster", () => {
    const path = join(folder, "account-trace");
    const trace = createWorkTrace(path);
    trace.setReading("01234567-89ab-7def-8123-456789abcdef");
    expect(findCulprit(path)).toEqual({ account: "01234567-89ab-7def-8123-456789abcdef" });
    trace.setRunning("two");
    expect(findCulprit(path)).toEqual({ cluster: "two" });
    trace.setRunning(undefined);
    trace.setReading(undefined);
    expect(findCulprit(path)).toBeUndefined();
  });

  test("X063 the supervisor learns which cluster or account exhausted the memory or blocked the process, unless the process was killed from outside", async () => {
    const path = join(folder, "supervised");
    const program = (name: string, text: string): URL => {
      const file = join(folder, `${name}.mjs`);
      const module = new URL("./work-trace.ts", import.meta.url).href;
      const open = `import { createWorkTrace } from "${module}"; const trace = createWorkTrace(${JSON.stringify(path)});`;
      writeFileSync(file, `${open} process.send("started"); ${text}`);
      return pathToFileURL(file);
    };
    const programs = [
      program("bomb", `trace.setRunning("bomb"); let x = []; for (;;) x.push(new Array(1e5).fill(x.length));`),
      program("loading", `trace.setLoading("huge"); let x = []; for (;;) x.push(new Array(1e5).fill(x.length));`),
      program("reading", `trace.setReading("account"); let x = []; for (;;) x.push(new Array(1e5).fill(x.length));`),
      program("blocked", `trace.setRunning("blocked"); for (;;);`),
      program("killed", `trace.setRunning("innocent"); process.kill(process.pid, "SIGKILL");`),
      program(
        "good",
        `process.on("message", (m) => m === "stop" ? process.exit() : process.send("pong")); process.send("good");`,
      ),
    ];
    const culprits: (Culprit | undefined)[] = [];
    const stop = new AbortController();
    let next = 0;
    const start = (): PingedProcess => forkProcess(programs[next++] as URL, 64, {});
    const onMessage = (message: unknown): void => (message === "good" ? stop.abort() : undefined);
    const onCrash = async (): Promise<void> => void culprits.push(findCulprit(path));
    const limits = { everyMs: 50, mostUnanswered: 40, mostToStart: 400 };
    await superviseProcess({ clock: systemClock, log, onMessage, onCrash }, start, stop.signal, limits);
    expect(culprits).toEqual([{ cluster: "bomb" }, { cluster: "huge" }, { account: "account" }, { cluster: "blocked" }]);
  });
});
