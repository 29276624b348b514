import { processEnvironment } from "@cloudwright/platform";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runCloud, type CommandOutcome } from "./cloud-command.ts";
import { startServer, type RunningServer } from "./server.ts";

/** Folder with the root file system of the image. `npm run test:hosts` builds it. */
const image = processEnvironment["CLOUDWRIGHT_HOST_IMAGE"] ?? "";

/** Lists everything on this machine that a host creates. */
function listHostObjects(): string[] {
  const read = (program: string, ...args: string[]): string[] =>
    execFileSync(program, args, { encoding: "utf8" }).split("\n");
  const links = read("ip", "-brief", "link").filter((line) => /^cw/.test(line));
  const tables = read("nft", "list", "tables").filter((line) => /\bcw/.test(line));
  const namespaces = existsSync("/run/netns") ? readdirSync("/run/netns").filter((name) => name.startsWith("cw")) : [];
  const loops = read("losetup", "--list", "--noheadings", "--output", "BACK-FILE").filter((line) => line.includes("/agent/host/"));
  const mounts = readFileSync("/proc/self/mounts", "utf8").split("\n").filter((line) => line.includes("/agent/host/"));
  return [...links, ...tables, ...namespaces, ...loops, ...mounts];
}

describe.skipIf(image === "")("a machine of one's own as a cloud", () => {
  let server: RunningServer;
  const before = image === "" ? [] : listHostObjects();
  const environment = { CLOUDWRIGHT_AGENT_HOSTS: "e2e", CLOUDWRIGHT_AGENT_HOST_IMAGES: `debian-12=${image}` };

  beforeAll(async () => {
    server = await startServer({ environment });
  });
  afterAll(async () => {
    await server?.stop();
    expect(listHostObjects()).toEqual(before);
  });

  const cloud = (...args: string[]): Promise<CommandOutcome> => runCloud({ home: server.home }, ...args);
  async function must(...args: string[]): Promise<string> {
    const { code, out, err } = await cloud(...args);
    if (code !== 0) throw new Error(`cloud ${args.join(" ")} exited with ${code}: ${err}${out}\n${server.process.stdout().slice(-3000)}`);
    return out.trim();
  }

  test("an operator grants the machine to a project, and its account is verified", async () => {
    await must("agent", "update", "embedded", "-p", "system", "--identity-projects", "default");
    await must("account", "create", "rack", "--cloud", "local", "--local-agent-label", "e2e", "--wait");
    expect(await must("account", "get", "rack", "-o", "yaml")).toMatch(/accountId: machine-[0-9a-f]{16}/);
  });

  test("an instance in a network can be reached by SSH with the pinned host key", async () => {
    await must("network", "create", "net", "--account", "rack", "--cidr", "10.95.0.0/24", "--wait");
    await must("sshkey", "create", "ops");
    await must("instance", "create", "web", "--network", "net", "--ssh-key", "ops", "--wait");
    expect(await must("instance", "ssh", "web", "--", "hostname")).toBe("web");
  });

  test("everything is deleted", async () => {
    await must("instance", "delete", "web", "--yes", "--wait");
    await must("network", "delete", "net", "--yes", "--wait");
    await must("account", "delete", "rack", "--yes", "--wait");
  });
});
