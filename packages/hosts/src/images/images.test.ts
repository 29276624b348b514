import { Fault, systemClock } from "@cloudwright/platform";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runTool } from "../run-tool.ts";
import { digestFile } from "./archive.ts";
import { hostsFaults } from "../faults.ts";
import { describeBuildFailure, openImages, type Images } from "./images.ts";
import { writeOci } from "./testing/write-oci.ts";

const isLinux = process.platform === "linux";
let directory: string;
let images: Images;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "images-"));
  images = await openImages({ directory: join(directory, "host"), run: runTool, clock: systemClock });
});
afterEach(() => rm(directory, { recursive: true }));

async function writeTree(name: string, files: Readonly<Record<string, string>>): Promise<string> {
  const folder = join(directory, name);
  for (const [path, content] of Object.entries(files)) {
    await mkdir(join(folder, path, ".."), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  return folder;
}

async function pack(folder: string, ...options: string[]): Promise<string> {
  const archive = `${folder}.tar`;
  await runTool("tar", ["--create", "--file", archive, "--directory", folder, ...options, "."]);
  return archive;
}

const rootfs = { "etc/os-release": "ID=test\n", "usr/bin/init": "#!" };

test.runIf(isLinux)("importing a folder and importing an archive create the same image", async () => {
  const folder = await writeTree("root", rootfs);
  const archive = await pack(folder, "--gzip");
  const sha256 = await digestFile(archive, undefined);
  await images.importRootfs({ name: "folder", path: folder }, undefined);
  const image = await images.importRootfs({ name: "archive", path: archive, sha256 }, undefined);
  expect(await readFile(join(image.root, "etc/os-release"), "utf8")).toBe("ID=test\n");
  expect((await images.list()).map(({ name, source }) => [name, source])).toEqual([
    ["archive", `rootfs@${sha256}`],
    ["folder", "rootfs"],
  ]);
});

test.runIf(isLinux)("a repeated import returns the image, and another import with the same name is rejected", async () => {
  const path = await writeTree("root", rootfs);
  const first = await images.importRootfs({ name: "web", path, token: "one" }, undefined);
  expect(first.sizeBytes).toBeGreaterThan(0);
  expect(await images.importRootfs({ name: "web", path, token: "one" }, undefined)).toEqual(first);
  for (const token of ["two", "", undefined])
    await expect(images.importRootfs({ name: "web", path, token }, undefined)).rejects.toMatchObject({
      code: "hosts.image_exists",
    });
  await images.hold("web", "instance-b");
  await images.hold("web", "instance-a");
  expect(await images.listUsers("web")).toEqual(["instance-a", "instance-b"]);
});

test.runIf(isLinux)("an archive with a wrong checksum is rejected and leaves nothing behind", async () => {
  const path = await pack(await writeTree("root", rootfs));
  const expected = "0".repeat(64);
  const actual = await digestFile(path, undefined);
  await expect(images.importRootfs({ name: "a", path, sha256: expected }, undefined)).rejects.toMatchObject({
    code: "hosts.checksum_mismatch",
    message: expect.stringMatching(new RegExp(`${actual}.*${expected}`)) as string,
  });
  await writeFile(path, "no archive");
  await expect(images.importRootfs({ name: "a", path }, undefined)).rejects.toMatchObject({ code: "hosts.bad_image" });
  expect(await readdir(join(directory, "host", "images"))).toEqual([]);
});

test.runIf(isLinux)("an archive cannot write outside the image", async () => {
  const outside = join(directory, "outside");
  await mkdir(outside);
  const folder = await writeTree("root", rootfs);
  await symlink(outside, join(folder, "link"));
  const path = await pack(folder);
  // The second member would be written through the link of the first member, and the third one beside the image.
  const evil = await writeTree("evil", { "link/stolen": "x", up: "x" });
  await runTool("tar", ["--append", "--file", path, "--directory", evil, "link/stolen"]);
  const parent = ["--transform", "s,^up,../../../outside/up,", "--absolute-names"];
  await runTool("tar", ["--append", "--file", path, "--directory", evil, ...parent, "up"]);
  await expect(images.importRootfs({ name: "a", path }, undefined)).rejects.toMatchObject({ code: "hosts.bad_image" });
  expect(await readdir(outside)).toEqual([]);
  expect(await images.list()).toEqual([]);
});

test.runIf(isLinux)("the layers of an OCI image are applied in order, with their whiteouts", async () => {
  const lower = await pack(await writeTree("lower", { ...rootfs, "etc/gone": "x", "opt/old/file": "x", "srv/file": "x" }));
  const upper = await pack(
    await writeTree("upper", { "etc/.wh.gone": "", "opt/old/.wh..wh..opq": "", "opt/old/new": "y", "srv/file": "y" }),
  );
  const layout = join(directory, "layout");
  await writeOci(layout, [lower, upper]);
  const { root } = await images.importOci({ name: "oci", path: layout }, undefined);
  expect(await readdir(join(root, "etc"))).toEqual(["os-release"]);
  expect(await readdir(join(root, "opt/old"))).toEqual(["new"]);
  expect(await readFile(join(root, "srv/file"), "utf8")).toBe("y");
  const packed = await images.importOci({ name: "packed", path: await pack(layout) }, undefined);
  expect(await readdir(join(packed.root, ".."))).toEqual(["image.json", "root", "users"]);
});

test.runIf(isLinux)("a layer cannot write through a link of an earlier layer", async () => {
  const outside = join(directory, "outside");
  await mkdir(outside);
  const first = await writeTree("first", rootfs);
  await symlink(outside, join(first, "link"));
  const layers = [await pack(first), await pack(await writeTree("second", { "link/stolen": "x", "link/.wh...": "" }))];
  await writeOci(join(directory, "layout"), layers);
  const { root } = await images.importOci({ name: "oci", path: join(directory, "layout") }, undefined);
  expect(await readdir(outside)).toEqual([]);
  expect(await readdir(join(root, "link"))).toEqual(["stolen"]);
});

test.runIf(isLinux)("a changed blob of an OCI image is rejected", async () => {
  const layout = join(directory, "layout");
  await writeOci(layout, [await pack(await writeTree("root", rootfs))]);
  const blobs = join(layout, "blobs", "sha256");
  for (const blob of await readdir(blobs)) {
    const content = await readFile(join(blobs, blob));
    await writeFile(join(blobs, blob), Buffer.concat([content, Buffer.from(" ")]));
    await expect(images.importOci({ name: "oci", path: layout }, undefined)).rejects.toMatchObject({
      code: "hosts.checksum_mismatch",
    });
    await writeFile(join(blobs, blob), content);
  }
  await images.importOci({ name: "oci", path: layout }, undefined);
});

test.runIf(isLinux)("an OCI layout without a manifest for this machine is rejected", async () => {
  const layout = join(directory, "layout");
  await mkdir(layout);
  await writeFile(join(layout, "index.json"), JSON.stringify({ manifests: [] }));
  await expect(images.importOci({ name: "a", path: layout }, undefined)).rejects.toMatchObject({ code: "hosts.bad_image" });
  const digest = "sha256:../../../../etc/passwd";
  await writeFile(join(layout, "index.json"), JSON.stringify({ manifests: [{ digest }] }));
  await expect(images.importOci({ name: "a", path: layout }, undefined)).rejects.toMatchObject({ code: "hosts.bad_image" });
});

test.runIf(isLinux)("an image in use cannot be removed", async () => {
  await images.importRootfs({ name: "a", path: await writeTree("root", rootfs) }, undefined);
  await images.hold("a", "web");
  await expect(images.remove("a")).rejects.toMatchObject({
    code: "hosts.image_in_use",
    message: expect.stringContaining("web") as string,
  });
  await images.release("a", "web");
  await images.release("a", "web");
  await Promise.all([images.remove("a"), images.remove("a")]);
  await expect(images.hold("a", "web")).rejects.toMatchObject({ code: "hosts.image_not_found" });
  expect(await readdir(join(directory, "host", "images"))).toEqual([]);
});

test.runIf(isLinux)("the leftovers of an interrupted import are removed", async () => {
  await mkdir(join(directory, "host", "images", ".staging-abc", "root"), { recursive: true });
  const again = await openImages({ directory: join(directory, "host"), run: runTool, clock: systemClock });
  expect(await again.list()).toEqual([]);
  expect(await readdir(join(directory, "host", "images"))).toEqual([]);
});

test.runIf(isLinux)("invalid names, paths, checksums and contents are rejected", async () => {
  const path = await writeTree("root", rootfs);
  const attempts = [
    { name: "../a", path },
    { name: "A", path },
    { name: "a", path: "root" },
    { name: "a", path: join(directory, "missing") },
    { name: "a", path, sha256: "0".repeat(64) },
    { name: "a", path: await writeTree("empty", { file: "" }) },
  ];
  for (const attempt of attempts)
    await expect(images.importRootfs(attempt, undefined)).rejects.toMatchObject({ code: "hosts.bad_image" });
  await images.importRootfs({ name: "a", path }, undefined);
  await expect(images.importRootfs({ name: "a", path }, undefined)).rejects.toMatchObject({ code: "hosts.image_exists" });
});

test("a failed build is explained by its errors, not by everything that it printed", () => {
  const said =
    "setpriv unshare mmdebstrap failed with exit code 25: I: running apt-get update...; Err:1 http://mirror bookworm InRelease; " +
    "E: Failed to fetch http://mirror/InRelease  Temporary failure resolving 'mirror'; W: ignored; E: Some index files failed; E: third";
  expect(describeBuildFailure("debian-12", new Fault(hostsFaults.tool_failed, said))).toMatchObject({
    code: "hosts.build_failed",
    message:
      "the image debian-12 could not be built: Failed to fetch http://mirror/InRelease  Temporary failure resolving 'mirror'; Some index files failed",
  });
  const stopped = new Fault(hostsFaults.cancelled, "stopped");
  expect(describeBuildFailure("debian-12", stopped)).toBe(stopped);
});

test("M206 a malformed archive is invalid, so that its import is not repeated", async () => {
  const path = join(directory, "broken.tar");
  await writeFile(path, "no archive");
  await expect(images.importRootfs({ name: "broken", path }, undefined)).rejects.toMatchObject({ code: "hosts.bad_image" });
  expect(await images.list()).toEqual([]);
});
