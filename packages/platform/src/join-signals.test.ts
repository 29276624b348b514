import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { findTool, processEnvironment } from "./index.ts";
import { joinSignals } from "./join-signals.ts";

test("X010 a joined signal aborts with the first of its signals, and for the same reason", () => {
  const [one, other] = [new AbortController(), new AbortController()];
  const { signal } = joinSignals([one.signal, undefined, other.signal]);
  expect(signal?.aborted).toBe(false);
  const reason = new Error("late");
  other.abort(reason);
  one.abort();
  expect(signal?.reason).toBe(reason);
  expect(joinSignals([one.signal, other.signal]).signal?.aborted).toBe(true);
});

test("X010 a released signal no longer aborts, and single signals are returned as they are", () => {
  const [one, other] = [new AbortController(), new AbortController()];
  const joined = joinSignals([one.signal, other.signal]);
  joined.release();
  one.abort();
  expect(joined.signal?.aborted).toBe(false);
  expect(joinSignals([undefined]).signal).toBeUndefined();
  expect(joinSignals([other.signal]).signal).toBe(other.signal);
});

test("X010 a time limit still applies after garbage collections, also on the oldest supported Node", async () => {
  const source = `
    const joinSignals = ${joinSignals.toString()};
    const { signal } = joinSignals([new AbortController().signal, AbortSignal.timeout(200)]);
    const collecting = setInterval(() => globalThis.gc(), 10);
    signal.addEventListener("abort", () => { clearInterval(collecting); console.log(signal.reason.name); });`;
  const own = (processEnvironment["PATH"] ?? "").split(":").filter((folder) => !folder.includes("node_modules"));
  const nodes = [process.execPath, findTool("node", { PATH: own.join(":") })].filter((path) => path !== undefined);
  for (const node of nodes) {
    const { stdout } = await promisify(execFile)(node, ["--expose-gc", "--input-type=module", "-e", source], { timeout: 60_000 });
    expect(stdout).toBe("TimeoutError\n");
  }
});
