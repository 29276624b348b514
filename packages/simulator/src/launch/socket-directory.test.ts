import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createSocketDirectory } from "./socket-directory.ts";

let parent: string;

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), "sockets-"));
});

afterEach(() => {
  rmSync(parent, { recursive: true });
});

test("only the owner can enter a socket directory, and it can be removed", async () => {
  const directory = await createSocketDirectory(parent);
  expect(statSync(directory.path).mode & 0o777).toBe(0o700);
  await directory.remove();
  expect(readdirSync(parent)).toEqual([]);
});

test("a path too long for a socket is rejected before anything is created", async () => {
  const long = join(parent, "x".repeat(80));
  await expect(createSocketDirectory(long)).rejects.toThrow(expect.objectContaining({ code: "simulator.path_too_long" }));
  expect(existsSync(long)).toBe(false);
});

test("directories of killed processes are removed, others and unrelated files are kept", async () => {
  const script = `
    import { createSocketDirectory } from ${JSON.stringify(join(import.meta.dirname, "socket-directory.ts"))};
    import { createServer } from "node:net";
    const { socket } = await createSocketDirectory(process.argv[1]);
    createServer().listen(socket, () => console.log("listening"));`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script, parent], { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  const alive = readdirSync(parent);
  expect(alive).toHaveLength(1);
  mkdirSync(join(parent, "sim-of-somebody-else"));
  const first = await createSocketDirectory(parent);
  expect(readdirSync(parent)).toEqual(expect.arrayContaining(alive));
  child.kill("SIGKILL");
  await once(child, "exit");
  await createSocketDirectory(parent);
  expect(readdirSync(parent)).not.toEqual(expect.arrayContaining(alive));
  expect(readdirSync(parent)).toEqual(expect.arrayContaining(["sim-of-somebody-else"]));
  expect(existsSync(first.path)).toBe(true);
});
