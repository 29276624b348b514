import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readMirrors } from "./apt-sources.ts";

async function writeSources(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "apt-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, "sources.list.d"));
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  return folder;
}

test("an image is built from the host's mirrors, in both formats of apt sources", async () => {
  const folder = await writeSources({
    "sources.list":
      "# deb http://comment.invalid bookworm main\ndeb [arch=amd64 signed-by=/k.gpg] http://one.invalid/debian bookworm main contrib # x\n",
    "sources.list.d/debian.sources": [
      "Types: deb deb-src",
      "# http://snapshot.invalid",
      "URIs: http://two.invalid/debian",
      "Suites: bookworm bookworm-updates",
      "Components: main",
      "Signed-By: /usr/share/keyrings/two.gpg",
      "",
      "Enabled: no",
      "Types: deb",
      "URIs: http://off.invalid/debian",
      "Suites: bookworm",
      "Components: main",
    ].join("\n"),
    "sources.list.d/other.list": "deb http://other.invalid other-bookworm main\n",
  });
  expect(await readMirrors("bookworm", folder)).toEqual([
    "deb [signed-by=/k.gpg] http://one.invalid/debian bookworm main",
    "deb [signed-by=/usr/share/keyrings/two.gpg] http://two.invalid/debian bookworm main",
    "deb [signed-by=/usr/share/keyrings/two.gpg] http://two.invalid/debian bookworm-updates main",
  ]);
});

test("a host without a mirror for the distribution is reported", async () => {
  const folder = await writeSources({ "sources.list": "deb http://one.invalid/debian trixie main\n" });
  await expect(readMirrors("bookworm", folder)).rejects.toMatchObject({ code: "hosts.no_mirror" });
});
