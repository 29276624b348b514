import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runBuf } from "./buf.ts";
import { checkBreaking } from "./check-breaking.ts";
import { contractFolder } from "./generate-contract.ts";

const root = join(import.meta.dirname, "..");
const cluster = `${contractFolder}/proto/cloudwright/v1/cluster.proto`;

describe("M099 the contract guard", () => {
  let work: string;
  let repository: string;

  beforeAll(() => {
    work = mkdtempSync(join(tmpdir(), "cloudwright-breaking-test-"));
    repository = join(work, "repository");
    for (const name of ["proto", "buf.yaml"]) {
      cpSync(join(root, contractFolder, name), join(repository, contractFolder, name), { recursive: true });
    }
    git(repository, "init", "--quiet", "--initial-branch=main");
    commit("first");
  });
  afterAll(() => rmSync(work, { recursive: true, force: true }));

  test("passes if there is no earlier commit, and says so", () => {
    expect(checkBreaking({ root: repository })).toEqual({ ok: true, says: expect.stringContaining("no earlier commit") });
  });

  test("accepts an added field", () => {
    edit("string version = 10;", "string version = 10;\n  string flavour = 99;");
    commit("add a field");
    expect(checkBreaking({ root: repository }).ok).toBe(true);
  });

  test("passes in a shallow clone", () => {
    const clone = join(work, "shallow");
    git(work, "clone", "--quiet", "--depth=1", pathToFileURL(repository).href, clone);
    expect(checkBreaking({ root: clone })).toEqual({ ok: true, says: expect.stringContaining("no earlier commit") });
  });

  test("rejects a changed field type, before and after it is committed", () => {
    edit("string version = 10;", "int32 version = 10;");
    expect(checkBreaking({ root: repository, against: "HEAD" }).ok).toBe(false);
    commit("change a type");
    const { ok, says } = checkBreaking({ root: repository });
    expect([ok, says.includes("cluster.proto")]).toEqual([false, true]);
  });

  test("compares a branch with the commit where it left main", () => {
    git(repository, "checkout", "--quiet", "-b", "branch");
    edit("string endpoint = 11;", "int32 endpoint = 11;");
    commit("change another type");
    edit("int32 ready_nodes = 12;", "int32 ready_nodes = 12;\n  int32 spare_nodes = 98;");
    commit("something harmless after it");
    expect(checkBreaking({ root: repository }).ok).toBe(false);
  });

  test("rejects a commit that does not exist", () => {
    expect(checkBreaking({ root: repository, against: "nowhere" }).ok).toBe(false);
  });

  test("rejects a message whose name breaks the naming rules", () => {
    edit("message Karpenter {", "message karpenter_scaler {");
    edit("Karpenter karpenter = 1;", "karpenter_scaler karpenter = 1;");
    const { ok, output } = runBuf(join(repository, contractFolder), ["lint"]);
    expect([ok, output.includes("karpenter_scaler")]).toEqual([false, true]);
  });

  function edit(from: string, to: string): void {
    const path = join(repository, cluster);
    const text = readFileSync(path, "utf8");
    expect(text).toContain(from);
    writeFileSync(path, text.replace(from, to));
  }

  function commit(message: string): void {
    git(repository, "add", ".");
    git(repository, "-c", "user.name=test", "-c", "user.email=test@example.com", "commit", "--quiet", "--message", message);
  }
}, 30_000);

function git(folder: string, ...args: string[]): void {
  const { status, stderr } = spawnSync("git", args, { cwd: folder, encoding: "utf8" });
  if (status !== 0) throw new Error(`git ${args[0]} failed: ${stderr}`);
}
