import { createHash } from "node:crypto";
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fetchHelm, pinnedHelm, type HelmRelease } from "./fetch-helm.ts";

let folder: string;
let mirror: string;
let release: HelmRelease;
const platform = "linux_amd64";
const program = "#!/bin/sh\necho helm\n";
const archiveName = "helm-v9.9.9-linux-amd64.tar.gz";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "helm-"));
  mirror = join(folder, "mirror");
  mkdirSync(join(folder, "pack", "linux-amd64"), { recursive: true });
  mkdirSync(mirror);
  writeFileSync(join(folder, "pack", "linux-amd64", "LICENSE"), "x".repeat(1500));
  writeFileSync(join(folder, "pack", "linux-amd64", "helm"), program);
  execFileSync("tar", ["-czf", join(mirror, archiveName), "-C", join(folder, "pack"), "linux-amd64"]);
  const sum = createHash("sha256")
    .update(readFileSync(join(mirror, archiveName)))
    .digest("hex");
  release = { version: "9.9.9", sums: { [platform]: sum } };
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const fetch = (own: Partial<Parameters<typeof fetchHelm>[0]> = {}) =>
  fetchHelm({ path: "", cacheDirectory: join(folder, "cache"), mirror, release, platform, ...own });

test("M135 helm is downloaded from a mirror, verified and cached; concurrent requests share one download", async () => {
  const [path, ...others] = await Promise.all([fetch(), fetch(), fetch()]);
  expect(others).toEqual([path, path]);
  expect(execFileSync(path).toString()).toBe("helm\n");
  expect(await fetch({ mirror: "off" })).toBe(path);
  // A cached executable that was modified after its verification is not run.
  writeFileSync(path, "#!/bin/sh\necho evil\n");
  await expect(fetch({ mirror: "off" })).rejects.toMatchObject({ code: "deployer.no_helm" });
  expect(readFileSync(await fetch(), "utf8")).toBe(program);
});

test("M135 an archive without the pinned checksum is rejected and leaves nothing behind", async () => {
  const bytes = readFileSync(join(mirror, archiveName));
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
  writeFileSync(join(mirror, archiveName), bytes);
  await expect(fetch()).rejects.toMatchObject({ code: "deployer.bad_helm" });
  expect(existsSync(join(folder, "cache", "helm", "9.9.9", platform, "helm"))).toBe(false);
});

test("M135 an archive without helm, a missing archive and an unknown platform are reported", async () => {
  rmSync(join(folder, "pack", "linux-amd64", "helm"));
  execFileSync("tar", ["-czf", join(mirror, archiveName), "-C", join(folder, "pack"), "linux-amd64"]);
  const sum = createHash("sha256")
    .update(readFileSync(join(mirror, archiveName)))
    .digest("hex");
  await expect(fetch({ release: { version: "9.9.9", sums: { [platform]: sum } } })).rejects.toMatchObject({
    code: "deployer.bad_helm",
  });
  await expect(fetch({ mirror: join(folder, "nowhere") })).rejects.toMatchObject({ code: "deployer.no_helm", retry: "backoff" });
  await expect(fetch({ platform: "plan9_mips" })).rejects.toMatchObject({ code: "deployer.no_helm" });
});

test("M135 a helm on PATH is preferred, and the pinned release has a checksum for each platform of the agent", async () => {
  mkdirSync(join(folder, "bin"));
  writeFileSync(join(folder, "bin", "helm"), program);
  chmodSync(join(folder, "bin", "helm"), 0o755);
  expect(await fetch({ path: join(folder, "bin"), mirror: "off" })).toBe(join(folder, "bin", "helm"));
  for (const name of ["linux_amd64", "linux_arm64", "darwin_amd64", "darwin_arm64"])
    expect(pinnedHelm.sums[name]).toMatch(/^[0-9a-f]{64}$/);
});
