import { systemClock } from "@cloudwright/platform";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { runTool } from "../run-tool.ts";
import { openImages } from "./images.ts";

test("an import that fills the host's disk fails and leaves nothing behind", async () => {
  const folder = await mkdtemp(join(tmpdir(), "full-"));
  const [directory, root] = [join(folder, "host"), join(folder, "root")];
  await mkdir(directory);
  await runTool("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", directory]);
  onTestFinished(async () => {
    await runTool("umount", [directory]);
    await rm(folder, { recursive: true });
  });
  for (const name of ["etc", "usr"]) await mkdir(join(root, name), { recursive: true });
  await writeFile(join(root, "usr", "large"), Buffer.alloc(4 * 1024 * 1024, 1));
  const images = await openImages({ directory, run: runTool, clock: systemClock });
  await expect(images.importRootfs({ name: "a", path: root }, undefined)).rejects.toMatchObject({
    code: "hosts.tool_failed",
    message: expect.stringContaining("No space left") as string,
  });
  expect(await readdir(join(directory, "images"))).toEqual([]);
  await rm(join(root, "usr", "large"));
  await images.importRootfs({ name: "a", path: root }, undefined);
});
