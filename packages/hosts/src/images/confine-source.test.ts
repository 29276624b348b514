import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { confineSource } from "./confine-source.ts";

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "cloudwright-confine-"));
  for (const folder of ["allowed/deep", "allowed-not", "elsewhere"]) await mkdir(join(root, folder), { recursive: true });
  for (const file of ["allowed/a.tar", "allowed/deep/b.tar", "allowed-not/c.tar", "elsewhere/d.tar"])
    await writeFile(join(root, file), "");
  await symlink(join(root, "elsewhere"), join(root, "allowed/way-out"));
  await symlink("../elsewhere/d.tar", join(root, "allowed/d.tar"));
  await symlink(join(root, "allowed"), join(root, "alias"));
});
afterAll(() => rm(root, { recursive: true }));

const confine = (path: string) =>
  confineSource(path, { folders: [join(root, "allowed"), join(root, "none")], files: [join(root, "elsewhere/d.tar")] });

test("M206 images come from allowed folders, however their paths are written", async () => {
  expect(await confine(join(root, "allowed/a.tar"))).toBe(join(root, "allowed/a.tar"));
  expect(await confine(join(root, "alias/deep/../deep/b.tar"))).toBe(join(root, "allowed/deep/b.tar"));
  expect(await confine(join(root, "elsewhere/d.tar"))).toBe(join(root, "elsewhere/d.tar"));
});

test("M206 neither links, nor dots, nor similar names lead out of the allowed folders", async () => {
  await rm(join(root, "elsewhere/d.tar"));
  await writeFile(join(root, "elsewhere/e.tar"), "");
  for (const path of [
    "allowed",
    "allowed/way-out/e.tar",
    "allowed/d.tar",
    "allowed/../elsewhere/e.tar",
    "allowed-not/c.tar",
    "allowed/missing.tar",
    "none",
    "",
  ])
    await expect(confine(join(root, path))).rejects.toMatchObject({ code: "hosts.image_source_denied" });
  await expect(confine("allowed/a.tar")).rejects.toMatchObject({ code: "hosts.image_source_denied" });
});
