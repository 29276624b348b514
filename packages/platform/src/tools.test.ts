import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findTool, listRequiredTools, requireTool } from "./tools.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tools-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

function install(name: string, mode = 0o755): string {
  const path = join(folder, name);
  writeFileSync(path, "#!/bin/sh\n");
  chmodSync(path, mode);
  return path;
}

test("a tool on PATH is found", () => {
  const path = install("terraform");
  expect(findTool("terraform", { PATH: `/nowhere:${folder}` })).toBe(path);
  expect(requireTool("terraform", { PATH: folder, CLOUDWRIGHT_REQUIRE: "terraform" })).toEqual({ found: true, path });
});

test("a tool is found under its other names", () => {
  const path = install("chromium-browser");
  expect(findTool("chromium", { PATH: folder })).toBe(path);
});

test("a file that cannot be executed is not a tool", () => {
  install("terraform", 0o644);
  expect(findTool("terraform", { PATH: folder })).toBeUndefined();
});

test("a missing tool is a reason to skip a test", () => {
  const probe = requireTool("terraform", { PATH: folder, CLOUDWRIGHT_REQUIRE: "kubectl" });
  expect(probe).toEqual({ found: false, reason: "terraform is not installed on this machine" });
});

test("a missing tool is a fault if CLOUDWRIGHT_REQUIRE lists it", () => {
  const environment = { PATH: folder, CLOUDWRIGHT_REQUIRE: "kubectl, terraform" };
  expect(listRequiredTools(environment)).toEqual(["kubectl", "terraform"]);
  expect(() => requireTool("terraform", environment)).toThrow(expect.objectContaining({ code: "platform.missing_tool" }));
});
