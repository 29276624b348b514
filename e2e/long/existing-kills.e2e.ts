import type { CloudLibrary } from "@cloudwright/clouds";
import { systemClock } from "@cloudwright/platform";
import { chooseSeed, createRandom } from "@cloudwright/platform/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startCloud } from "../cloud-command.ts";
import { createSampleAccount, createSampleCluster, openSampleLibrary, readInventory, runOk } from "../existing/sample-cluster.ts";
import { sampleCloud } from "../existing/sample-clouds.ts";
import { createHome, removeHome } from "../home-directory.ts";
import { startServer, type RunningServer } from "../server.ts";

const seed = chooseSeed();
console.log(`seed ${seed}: set CLOUDWRIGHT_TEST_SEED to repeat the kill points`);
const { below: random } = createRandom(seed);

const { region } = sampleCloud;
let home: string;
let server: RunningServer;
let library: CloudLibrary;
const cloud = (...args: string[]): Promise<string> => runOk(server, ...args);

beforeAll(async () => {
  home = await createHome();
  server = await startServer({ home });
  library = await createSampleAccount(server, "prod");
  await createSampleCluster(library, "shop");
});
afterAll(async () => {
  await library?.close();
  await server?.stop();
  await removeHome(home);
});

/** Starts a command and kills the server and its agent at a random time while the command runs. Then restarts the server. */
async function killDuring(...args: string[]): Promise<void> {
  const command = startCloud({ home }, ...args);
  await systemClock.sleep(200 + random(4000));
  await server.kill9();
  // The command is stopped, because it would otherwise keep trying to reach the server.
  command.signal("SIGTERM");
  await command.done;
  server = await startServer({ home });
  await library.close();
  library = await openSampleLibrary(server, "prod");
}

const listNames = (): Promise<string> => cloud("cluster", "list", "-o", "name");
const getPhase = async (): Promise<string> => cloud("cluster", "get", "shop", "-o", "jsonpath={.status.phase}");
const patience = { timeout: 240_000, interval: 1000 };

test("X016 a server that is killed during import, manage, upgrade and release loses nothing and deletes nothing", async () => {
  const before = await readInventory(server, "prod");
  await killDuring("k8s", "import", "shop", "--account", "prod", "--region", region, "--wait");
  if (!(await listNames()).includes("shop")) await cloud("k8s", "import", "shop", "--account", "prod", "--region", region);
  await expect.poll(getPhase, patience).toContain("RUNNING");
  expect(await readInventory(server, "prod")).toEqual(before);

  await killDuring("k8s", "manage", "shop", "--yes", "--wait");
  await cloud("k8s", "manage", "shop", "--yes", "--wait");
  expect(await readInventory(server, "prod")).toEqual(before);

  await killDuring("k8s", "upgrade", "shop", "--version", "1.34", "--wait");
  await cloud("k8s", "upgrade", "shop", "--version", "1.34").catch(() => "");
  const readVersions = async () => {
    const { version, nodePools } = await library.clusters.get("shop");
    return [version, ...nodePools.map((pool) => pool.version)].join(" ");
  };
  await expect.poll(readVersions, patience).toBe("1.34 1.34");
  await expect.poll(getPhase, patience).toContain("RUNNING");
  const upgraded = await readInventory(server, "prod");
  expect(upgraded.map(({ type, id }) => `${type}/${id}`)).toEqual(before.map(({ type, id }) => `${type}/${id}`));

  await killDuring("k8s", "release", "shop", "--yes", "--wait");
  if ((await listNames()).includes("shop")) await cloud("k8s", "release", "shop", "--yes").catch(() => "");
  await expect.poll(listNames, patience).not.toContain("shop");
  expect(await readInventory(server, "prod")).toEqual(upgraded);
});
