import { openImages, runTool, type Host } from "@cloudwright/hosts";
import { systemClock } from "@cloudwright/platform";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createHostImages } from "./host-images.ts";
import { createImageSource } from "./image-source.ts";
import type { OpenedHost } from "./open-host.ts";

const isLinux = process.platform === "linux";
let directory: string;
let opened: OpenedHost;
let lines: string[];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "cloudwright-images-"));
  lines = [];
  for (const folder of ["images/web/etc", "images/web/usr", "elsewhere/etc", "elsewhere/usr"])
    await mkdir(join(directory, folder), { recursive: true });
  const images = await openImages({ directory: join(directory, "host"), run: runTool, clock: systemClock });
  const configuredImages = { base: join(directory, "elsewhere") };
  opened = {
    directory,
    host: { images } as Host,
    images: createImageSource(images, configuredImages),
    imageFolders: [join(directory, "images")],
    configuredImages,
    identity: { id: "machine-test", hostname: "test" },
  };
});
afterEach(() => rm(directory, { recursive: true }));

const run = { signal: new AbortController().signal, log: (line: string) => void lines.push(line) };
const request = (name: string, path: string, token = "t") => ({
  name,
  path: join(directory, path),
  format: "rootfs" as const,
  sha256: "",
  token,
});

describe.runIf(isLinux)("M206 the images of a machine", () => {
  test("are imported, listed with their users, and removed unless an instance uses them", async () => {
    const images = createHostImages(async () => opened);
    await images.import(request("web", "images/web"), run);
    await images.import(request("web", "images/web"), run);
    await opened.host.images.hold("web", "one");
    expect(await images.list()).toMatchObject([{ name: "web", source: "rootfs", users: 1 }]);
    await expect(images.remove("web")).rejects.toMatchObject({ code: "hosts.image_in_use" });
    await opened.host.images.release("web", "one");
    await images.remove("web");
    await images.remove("web");
    expect(await images.list()).toEqual([]);
    expect(lines.at(-1)).toContain("web");
  });

  test("come only from folders that the operator allows", async () => {
    const images = createHostImages(async () => opened);
    await writeFile(join(directory, "images/broken.tar"), "no archive");
    await images.import(request("other", "elsewhere"), run);
    await expect(images.import(request("host", "host"), run)).rejects.toMatchObject({ code: "hosts.image_source_denied" });
    await expect(images.import(request("broken", "images/broken.tar"), run)).rejects.toMatchObject({ code: "hosts.bad_image" });
    const wrong = { ...request("broken", "images/broken.tar"), sha256: "0".repeat(64) };
    await expect(images.import(wrong, run)).rejects.toMatchObject({ code: "hosts.checksum_mismatch" });
    expect((await images.list()).map(({ name }) => name)).toEqual(["other"]);
  });

  test("cannot replace those that the operator configured or that are built from packages", async () => {
    const images = createHostImages(async () => opened);
    for (const name of ["base", "debian-12"])
      await expect(images.import(request(name, "images/web"), run)).rejects.toMatchObject({ code: "hosts.image_exists" });
    for (const name of ["base", "plan9"])
      await expect(images.build(name, run)).rejects.toMatchObject({ code: "hosts.bad_image" });
  });
});
