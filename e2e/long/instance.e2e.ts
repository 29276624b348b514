import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { requireTool } from "@cloudwright/platform";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runCloud } from "../cloud-command.ts";
import type { Shown } from "../direct/cluster-story.ts";
import { instanceStories, type InstanceStory } from "../direct/instance-story.ts";
import { queryDatabase } from "../query-database.ts";
import { startServer, type RunningServer } from "../server.ts";

// The network is built with Terraform, and the instance is built without it.
const terraform = requireTool("terraform");
if (!terraform.found) console.log(`skipped: ${terraform.reason}`);

describe.skipIf(!terraform.found).each(instanceStories)(
  "an instance in a simulated account, using only the command line: $cloud",
  (story) => {
    tellStory(story);
  },
);

const canary = "canary-4f1c9a7e";

function tellStory(story: InstanceStory): void {
  let server: RunningServer;

  async function cloud(...args: string[]): Promise<string> {
    const { code, out, err } = await runCloud({ home: server.home }, ...args);
    if (code !== 0) throw new Error(`cloud ${args.join(" ")} exited with ${code}: ${err}`);
    return out;
  }

  const refuse = async (...args: string[]): Promise<string> => {
    const { code, err } = await runCloud({ home: server.home }, ...args);
    expect(code).not.toBe(0);
    return err;
  };

  const read = async (...args: string[]) =>
    JSON.parse(await cloud(...args, "-o", "json")) as {
      readonly spec: Readonly<Record<string, unknown>>;
      readonly status: Readonly<Record<string, unknown>>;
    };
  const listMachines = async (): Promise<readonly Shown[]> =>
    (JSON.parse(await cloud("sim", "inventory", "-o", "json")) as { items: readonly Shown[] }).items.filter(
      ({ type }) => type === story.type,
    );
  /** Reads a machine as the simulated cloud stores it. The API masks the user data. */
  const readStored = (id: string): Promise<Shown> =>
    queryDatabase(server.database, async (client) => {
      const text = "select type, id, attributes from simulated_record where type = $1 and id = $2";
      const [row] = (await client.query<Shown>({ text, values: [story.type, id] })).rows;
      if (row === undefined) throw new Error(`there is no machine ${id}`);
      return row;
    });
  const readState = async () => (await listMachines())[0]?.attributes[story.state.attribute];

  beforeAll(async () => {
    server = await startServer();
    await cloud("account", "create", "sim", "--cloud", story.cloud, "--simulated", "--wait");
    await cloud("network", "create", "net", "--account", "sim", "--region", story.region, "--wait");
  });
  afterAll(async () => void (await server?.stop()));

  test("M143 M159 a key and an instance are created with safe defaults, and the instance's host key is recorded", async () => {
    await cloud("sshkey", "create", "ops");
    expect(await cloud("sshkey", "list")).toMatch(/ops +ssh-ed25519 +SHA256:\S+ +stored/);
    const userData = join(server.home, "user-data");
    await writeFile(userData, `#!/bin/sh\necho ${canary}\n`);
    const flags = ["--type", story.machineType, "--image", "ubuntu-24.04", "--ssh-key", "ops", "--user-data-file", userData];
    const made = await cloud("instance", "create", "--name", "web", "--account", "sim", "--vpc", "net", ...flags, "--wait");
    expect(made).toContain("RUNNING");
    const { spec, status } = await read("instance", "get", "web");
    expect(spec).toMatchObject({ rootDisk: { sizeGib: story.diskGib }, sshKeys: ["ops"], machineType: story.machineType });
    expect(status).toMatchObject({ phase: "RUNNING", machineStatus: "running", user: story.user });
    expect(status["hostKeys"]).toEqual([expect.stringMatching(/^ssh-ed25519 /)]);
    expect(status["publicAddress"] ?? "").toBe("");
    const [machine, ...others] = await listMachines();
    expect(others).toEqual([]);
    expect(machine?.id).toBe(status["instanceId"]);
    expect(machine?.attributes).toMatchObject(story.safe);
    expect(JSON.stringify(machine?.attributes)).toContain("[secret]");
    expect(story.readUserData(await readStored(String(status["instanceId"])))).toContain(canary);
    const row = new RegExp(`web +RUNNING .*running +net \\(simulated\\) +${story.machineType.replace(".", "\\.")} +10\\.`);
    expect(await cloud("instance", "list")).toMatch(row);
    expect(await refuse("instance", "ssh", "web", "--", "true")).toContain("cli.simulated_instance");
    expect(await cloud("instance", "logs", "web")).toContain("-----BEGIN SSH HOST KEY KEYS-----");
  });

  test("M143 a key that an instance uses cannot be deleted, and neither can the network without cascade", async () => {
    expect(await refuse("delete", "sshkey", "ops", "--yes")).toContain("web");
    expect(await refuse("delete", "network", "net", "--yes")).toMatch(/web|has_children/);
  });

  test("M146 M042 the instance is stopped and started, and an external stop is detected as drift and corrected", async () => {
    await cloud("instance", "stop", "web", "--wait");
    expect((await read("instance", "get", "web")).status["machineStatus"]).toBe("stopped");
    expect(await readState()).toBe(story.state.stopped);
    await cloud("instance", "start", "web", "--wait");
    const { status } = await read("instance", "get", "web");
    expect(status).toMatchObject({ phase: "RUNNING", machineStatus: "running" });
    const { attribute, stopped } = story.state;
    await cloud("sim", "drift", `${story.type}/${String(status["instanceId"])}`, `${attribute}=${stopped}`);
    expect(await cloud("drift", "check", "instance/web", "--wait")).toContain("drifted: 1 resource");
    const [drift] = (JSON.parse(await cloud("drift", "list", "-o", "json")) as { items: { uid: string }[] }).items;
    await cloud("drift", "correct", drift?.uid ?? "", "--wait");
    expect(await readState()).toBe(story.state.running);
    expect(await cloud("drift", "check", "instance/web", "--wait")).not.toContain("drifted");
  });

  test("M020 M007 neither the private key nor the user data appears in any output of the platform", async () => {
    const told = [
      await cloud("sshkey", "get", "ops", "-o", "json"),
      await cloud("instance", "get", "web", "-o", "json"),
      await cloud("describe", "instance", "web"),
      await cloud("events", "-o", "json"),
      await cloud("audit", "-o", "json"),
      await cloud("run", "list", "-o", "json"),
      await cloud("task", "list", "-o", "json"),
    ].join("\n");
    expect(told).not.toContain("PRIVATE KEY");
    expect(told).not.toContain(canary);
    expect(told).not.toContain(Buffer.from(canary).toString("base64").slice(2, -2));
  });

  test("M143 X010 deletion leaves no machine in the account, and the key can then be deleted", async () => {
    await cloud("delete", "instance", "web", "--yes", "--wait");
    expect(await listMachines()).toEqual([]);
    await cloud("delete", "sshkey", "ops", "--yes");
    await cloud("delete", "network", "net", "--yes", "--wait");
    expect(await cloud("sim", "inventory", "-o", "json")).not.toMatch(story.leftovers);
  });
}
