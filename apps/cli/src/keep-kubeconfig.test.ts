import { readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { expect, test } from "vitest";
import { keepKubeconfig } from "./keep-kubeconfig.ts";
import { createTemporaryFolder } from "./testing/temporary-folder.ts";

const render = (name: string, server: string): string =>
  JSON.stringify({
    "current-context": name,
    clusters: [{ name, cluster: { server } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    users: [{ name, user: {} }],
  });

test("M017 a kubeconfig is merged, entries with the same name are replaced, and only the owner can read the file", async () => {
  const file = join(createTemporaryFolder(), "sub", "config");
  await keepKubeconfig(file, render("a", "https://one"), true);
  await keepKubeconfig(file, render("b", "https://two"), true);
  await keepKubeconfig(file, render("a", "https://three"), true);
  const servers = [
    { name: "b", cluster: { server: "https://two" } },
    { name: "a", cluster: { server: "https://three" } },
  ];
  expect(parse(readFileSync(file, "utf8"))).toMatchObject({ "current-context": "a", clusters: servers, users: [{}, {}] });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  await keepKubeconfig(file, render("c", "https://four"), false);
  expect(readFileSync(file, "utf8")).toBe(render("c", "https://four"));
});

test("M017 a file that is not a kubeconfig stays unchanged, and a link stays a link", async () => {
  const folder = createTemporaryFolder();
  const [file, link] = [join(folder, "config"), join(folder, "link")];
  writeFileSync(file, "key: [canary");
  symlinkSync(file, link);
  const merging = keepKubeconfig(link, render("a", "https://one"), true);
  await expect(merging).rejects.toMatchObject({ code: "cli.bad_kubeconfig", message: expect.not.stringContaining("canary") });
  expect(readFileSync(file, "utf8")).toBe("key: [canary");
  await keepKubeconfig(link, "new", false);
  expect(readFileSync(file, "utf8")).toBe("new");
});
