import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runTool } from "../run-tool.ts";
import { launcher } from "./launch.ts";

const isLinux = existsSync("/dev/full");
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "launch-"));
});
afterEach(() => rm(folder, { recursive: true }));

async function run(console: string, script: string): Promise<void> {
  const groups = ["launcher", "instance"].map((name) => join(folder, name));
  await runTool(
    "sh",
    ["-c", launcher, "test", console, groups[0] as string, "--", groups[1] as string, "--", "sh", "-c", script],
    { cwd: folder },
  );
}

test.runIf(isLinux)("an instance that reboots is started again in its control groups", async () => {
  const file = join(folder, "console");
  await run(file, "echo boot; [ -e again ] && exit 0; touch again; exit 133");
  expect(await readFile(`${file}.1`, "utf8")).toBe("boot\nboot\n");
  expect(await readFile(join(folder, "launcher"), "utf8")).toBe("0\n");
  expect(await readFile(join(folder, "instance"), "utf8")).toBe("0\n");
});

test.runIf(isLinux)("the console files stay small, however much an instance prints", async () => {
  const file = join(folder, "console");
  await run(file, "seq 1000000");
  expect(await readFile(`${file}.1`, "utf8")).toMatch(/1000000\n$/);
  expect((await stat(`${file}.1`)).size + (await stat(file)).size).toBeLessThanOrEqual(2 * 1024 * 1024);
});

test.runIf(isLinux)("an instance keeps running if its console output cannot be written", async () => {
  await run("/dev/full", "seq 1000000 && touch finished");
  expect(existsSync(join(folder, "finished"))).toBe(true);
});
