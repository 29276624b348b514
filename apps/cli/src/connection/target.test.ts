import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { configPath, readConfig, writeConfig, type Config } from "./config-file.ts";
import { createTemporaryFolder } from "../testing/temporary-folder.ts";
import { resolveTarget } from "./target.ts";

async function homeWith(config: Config, local?: { address: string; adminKey: string }): Promise<string> {
  const home = createTemporaryFolder();
  await writeConfig(home, config);
  if (local !== undefined) {
    writeFileSync(join(home, "server.json"), JSON.stringify({ address: local.address, pid: 1 }));
    writeFileSync(join(home, "admin.key"), `${local.adminKey}\n`);
  }
  return home;
}

const config: Config = {
  currentContext: "prod",
  contexts: {
    prod: { server: "https://prod", apiKey: "prod-key", project: "shop" },
    lab: { server: "http://lab:8480", apiKey: "lab-key" },
  },
};
const local = { address: "http://127.0.0.1:8480", adminKey: "admin-key" };

test("M003 without a login the local server is found, with its admin key", async () => {
  const home = await homeWith({ contexts: {} }, local);
  expect(await resolveTarget({ home, environment: {} }, {})).toEqual({
    server: local.address,
    apiKey: "admin-key",
    project: "default",
    context: undefined,
  });
});

test("M003 flags override the environment, and the environment overrides the context", async () => {
  const home = await homeWith(config, local);
  const environment = { CLOUDWRIGHT_SERVER: "http://lab:8480", CLOUDWRIGHT_PROJECT: "from-environment" };
  expect(await resolveTarget({ home, environment: {} }, {})).toMatchObject({
    server: "https://prod",
    apiKey: "prod-key",
    project: "shop",
    context: "prod",
  });
  expect(await resolveTarget({ home, environment }, {})).toMatchObject({
    server: "http://lab:8480",
    apiKey: "lab-key",
    project: "from-environment",
  });
  expect(await resolveTarget({ home, environment }, { context: "prod", project: "flag" })).toMatchObject({
    server: "https://prod",
    project: "flag",
  });
  expect(await resolveTarget({ home, environment: { CLOUDWRIGHT_API_KEY: "env-key" } }, {})).toMatchObject({ apiKey: "env-key" });
});

test("M006 a key is never sent to another server", async () => {
  const home = await homeWith(config, local);
  expect((await resolveTarget({ home, environment: {} }, { server: "http://evil" })).apiKey).toBeUndefined();
  expect((await resolveTarget({ home, environment: { CLOUDWRIGHT_SERVER: "http://evil" } }, {})).apiKey).toBeUndefined();
  expect((await resolveTarget({ home, environment: {} }, { server: "http://127.0.0.1:8480/" })).apiKey).toBe("admin-key");
});

test("M003 a missing server and an unknown context are different faults", async () => {
  const world = { home: createTemporaryFolder(), environment: {} };
  await expect(resolveTarget(world, {})).rejects.toMatchObject({ code: "cli.no_server" });
  await expect(resolveTarget(world, { context: "nope" })).rejects.toMatchObject({ code: "cli.no_context" });
});

test("M006 config.yaml is readable by its owner only and written atomically", async () => {
  const home = createTemporaryFolder();
  writeFileSync(configPath(home), "contexts: {}", { mode: 0o644 });
  await writeConfig(home, config);
  expect(statSync(configPath(home)).mode & 0o777).toBe(0o600);
  expect(readdirSync(home)).toEqual(["config.yaml"]);
  expect(await readConfig(home)).toEqual(config);
});

test.each(["{", "- a", "contexts: 3", "contexts: {a: {}}", "contexts: {a: {server: x, apiKey: 3}}", "currentContext: 3"])(
  "M003 a config.yaml of %j is refused",
  async (text) => {
    const home = createTemporaryFolder();
    writeFileSync(configPath(home), text);
    await expect(readConfig(home)).rejects.toMatchObject({ code: "cli.bad_config" });
  },
);

test("M006 the error for an invalid config.yaml does not show its content", async () => {
  const home = createTemporaryFolder();
  writeFileSync(configPath(home), "contexts: {a: {server: x, apiKey: hunter2\nb: [");
  const fault = await readConfig(home).catch((error: unknown) => error as Error);
  expect((fault as Error).message).not.toContain("hunter2");
  expect(String((fault as Error).cause)).not.toContain("hunter2");
});
