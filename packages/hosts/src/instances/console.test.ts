import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readTail } from "./console.ts";

test("the end of a console's output is read across both of its files", async () => {
  const folder = await mkdtemp(join(tmpdir(), "console-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "console.log");
  expect(await readTail(file, 100)).toBe("");
  await writeFile(file, "newer");
  await writeFile(`${file}.1`, "older ");
  expect(await readTail(file, 100)).toBe("older newer");
  expect(await readTail(file, 7)).toBe("r newer");
  expect(await readTail(file, 3)).toBe("wer");
});
