import { getCloud, type CloudName } from "@cloudwright/contract/clouds";
import { requireTool } from "@cloudwright/platform";
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runCloud } from "../cloud-command.ts";
import { clusterStories, type DirectClusterStory, type Shown } from "../direct/cluster-story.ts";
import { startServer, type RunningServer } from "../server.ts";

const tools = [requireTool("terraform"), requireTool("kubectl")];
const missing = tools.find(({ found }) => !found);
if (missing?.found === false) console.log(`skipped: ${missing.reason}`);

const run = promisify(execFile);

describe.skipIf(missing !== undefined).each(clusterStories)(
  "a cluster without Terraform in a simulated account: $cloud",
  (story) => {
    tellStory(story);
  },
);

function tellStory(story: DirectClusterStory): void {
  let server: RunningServer;
  let kubeconfig: string;

  async function cloud(...args: string[]): Promise<string> {
    const { code, out, err } = await runCloud({ home: server.home }, ...args);
    if (code !== 0) throw new Error(`cloud ${args.join(" ")} exited with ${code}: ${err}`);
    return out;
  }
  const listInventory = async (): Promise<readonly Shown[]> =>
    (JSON.parse(await cloud("sim", "inventory", "-o", "json")) as { items: readonly Shown[] }).items;
  const listOfCluster = async () => (await listInventory()).filter((resource) => story.owns(resource));
  const listDrifting = async () => (await listInventory()).filter(({ type }) => type === story.drift.type);
  const countNodes = async (): Promise<number> => {
    const { stdout } = await run("kubectl", ["--kubeconfig", kubeconfig, "get", "nodes", "-o", "name"]);
    return stdout.trim().split("\n").filter(Boolean).length;
  };

  beforeAll(async () => {
    server = await startServer();
    await cloud("account", "create", "sim", "--cloud", story.cloud, "--simulated", "--wait");
    await cloud("network", "create", "net", "--account", "sim", "--region", story.region, "--wait");
  });
  afterAll(async () => void (await server?.stop()));

  test("M072 M120 it is previewed, created and reached with kubectl, and no Terraform configuration is used", async () => {
    expect(getCloud(story.cloud as CloudName).provisioners).toContain("direct");
    const preview = await cloud("cluster", "create", "dev", "--network", "net", "--provisioner", "direct", "--preview");
    expect(preview).toMatch(story.nodesRow);
    expect(
      await cloud("cluster", "create", "dev", "--network", "net", "--provisioner", "direct", "--workers", "2", "--wait"),
    ).toContain("RUNNING");
    kubeconfig = join(server.home, "direct.kubeconfig");
    await writeFile(kubeconfig, await cloud("k8s", "kubeconfig", "dev"));
    expect(await countNodes()).toBe(2);
    const types = (await listOfCluster()).map(({ type }) => type);
    const counts = [...new Set(types)].map((type) => [type, types.filter((each) => each === type).length]);
    expect(Object.fromEntries(counts)).toEqual(story.built);
    expect(await cloud("describe", "cluster", "dev")).toMatch(/AddOnsReady +True/);
  });

  test("M125 M034 pools are added, scaled and deleted, and an upgrade replaces their nodes", async () => {
    await cloud("nodepool", "create", "dev/extra", "--min", "1", "--desired", "1", "--max", "3", "--wait");
    await cloud("nodepool", "update", "dev/extra", "--desired", "2", "--wait");
    expect(await countNodes()).toBe(4);
    await cloud("cluster", "update", "dev", "--version", "1.35", "--wait");
    const versions = story.listPoolVersions(await listInventory());
    expect(versions).toEqual(Array.from({ length: 2 * story.perPool }, () => "1.35"));
    await cloud("delete", "nodepool", "dev/extra", "--yes", "--wait");
    expect(story.listPoolVersions(await listInventory())).toHaveLength(story.perPool);
  });

  test("M042 X080 an external change is detected as drift and corrected", async () => {
    const [resource] = await listDrifting();
    if (resource === undefined) throw new Error(`the account has no ${story.drift.type}`);
    await cloud("sim", "drift", `${resource.type}/${resource.id}`, story.drift.change(resource));
    expect(await cloud("drift", "check", "cluster/dev", "--wait")).toContain("drifted: 1 resource");
    const [drift] = (JSON.parse(await cloud("drift", "list", "-o", "json")) as { items: { uid: string }[] }).items;
    await cloud("drift", "correct", drift?.uid ?? "", "--wait");
    expect(await cloud("drift", "check", "cluster/dev", "--wait")).not.toContain("drifted");
    for (const corrected of await listDrifting()) expect(story.drift.read(corrected)).toEqual(story.drift.usual);
  });

  test("X035 a plan waits for approval if the spec requires it", async () => {
    await cloud("cluster", "update", "dev", "--infra-approval", "always");
    await cloud("cluster", "update", "dev", "--workers", "3");
    const waiting = async () =>
      (JSON.parse(await cloud("run", "list", "-o", "json")) as { items: { uid: string; state: string }[] }).items.find(
        ({ state }) => state === "NEEDS_APPROVAL",
      );
    await expect.poll(waiting, { timeout: 60_000 }).toBeDefined();
    expect(await countNodes()).toBe(2);
    await cloud("run", "approve", (await waiting())?.uid ?? "", "--yes");
    await expect.poll(countNodes, { timeout: 60_000 }).toBe(3);
  });

  test("X010 deletion leaves nothing of the cluster in the account", async () => {
    await cloud("delete", "cluster", "dev", "--yes", "--wait");
    expect(await listOfCluster()).toEqual([]);
  });
}
