import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { markLog, openLog, readLogSince, rotateLog } from "./log-file.ts";

let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "cw-log-"));
});
afterAll(() => rm(directory, { recursive: true }));

test("M099 a full log is truncated while the server writes to it, and its last contents are kept in a separate file", async () => {
  const path = join(directory, "full.log");
  const server = await openLog(path);
  await server.write("before\n");
  await rotateLog(path, 3);
  await server.write("after\n");
  await server.close();
  expect(await readFile(path, "utf8")).toBe("after\n");
  expect(await readFile(`${path}.1`, "utf8")).toBe("before\n");
});

test("M099 a short log is not touched, and a missing one is not an error", async () => {
  const path = join(directory, "short.log");
  await rotateLog(path, 3);
  await writeFile(path, "ab\n");
  await rotateLog(path, 3);
  expect(await readFile(path, "utf8")).toBe("ab\n");
});

test("M099 everything written since a mark can be read, even if the log was truncated in between", async () => {
  const path = join(directory, "marked.log");
  await writeFile(path, "old\n");
  const mark = await markLog(path);
  await writeFile(path, "new\n", { flag: "a" });
  expect(await readLogSince(path, mark)).toBe("new\n");
  await writeFile(path, "x\n");
  expect(await readLogSince(path, mark)).toBe("x\n");
});
