import { processEnvironment } from "@cloudwright/platform";
import { createRandom, printSeed } from "@cloudwright/platform/testing";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runCloud, type CommandOutcome } from "./cloud-command.ts";
import { createHome, removeHome } from "./home-directory.ts";
import { killAgentDuring } from "./kill-host-agent.ts";
import { startServer, type RunningServer } from "./server.ts";
import { waitUntil } from "./wait-until.ts";

/** Folder with the root file system of the image. `npm run test:hosts` builds it. */
const image = processEnvironment["CLOUDWRIGHT_HOST_IMAGE"] ?? "";

const killedRounds = 2;
/** About the time that an agent needs for one change. */
const workMs = 1500;

describe.skipIf(image === "")("M206 security groups and volumes on a machine of one's own", () => {
  const environment = { CLOUDWRIGHT_AGENT_HOSTS: "groups", CLOUDWRIGHT_AGENT_HOST_IMAGES: `debian-12=${image}` };
  const random = createRandom(printSeed("kills while volumes and rules change"));
  let home: string;
  let server: RunningServer;

  beforeAll(async () => {
    home = await createHome();
    server = await startServer({ home, environment });
    await waitUntil("the agent joined", async () => (await cloud("agent", "get", "embedded", "-p", "system")).code === 0);
    await must("agent", "update", "embedded", "-p", "system", "--identity-projects", "default");
    await must("account", "create", "rack", "--cloud", "local", "--local-agent-label", "groups", "--wait");
    await must("sshkey", "create", "ops");
    await must("network", "create", "lan", "--account", "rack", "--cidr", "10.96.0.0/24", "--wait");
  });
  afterAll(async () => {
    await server?.stop();
    await must("local", "clean", "--yes");
    await removeHome(home);
  });

  const cloud = (...args: string[]): Promise<CommandOutcome> => runCloud({ home }, ...args);
  async function must(...args: string[]): Promise<string> {
    const { code, out, err } = await cloud(...args);
    if (code === 0) return out.trim();
    throw new Error(`cloud ${args.join(" ")} exited with ${code}: ${err}${out}\n${server.process.stdout().slice(-4000)}`);
  }
  const inside = (name: string, ...command: string[]): Promise<string> => must("instance", "ssh", name, "--", ...command);
  const statusOf = async (word: string, name: string): Promise<Readonly<Record<string, unknown>>> =>
    (JSON.parse(await must(word, "get", name, "-o", "json")) as { status: Record<string, unknown> }).status;
  const addressOf = async (name: string): Promise<string> => (await statusOf("instance", name))["privateAddress"] as string;

  /** Returns whether one instance can connect to a TCP port of another one. */
  async function connects(from: string, to: string, port: number): Promise<boolean> {
    const script = `'timeout 3 bash -c "</dev/tcp/${await addressOf(to)}/${port}" 2>/dev/null && echo open || echo closed'`;
    return (await inside(from, "bash", "-c", script)) === "open";
  }
  async function pings(from: string, to: string): Promise<boolean> {
    return (await cloud("instance", "ssh", from, "--", "ping", "-c", "1", "-W", "1", await addressOf(to))).code === 0;
  }

  test("an instance accepts what its groups allow, and nothing else, as soon as a rule has changed", async () => {
    await must("securitygroup", "create", "app", "--network", "lan", "--wait");
    await must("sg", "create", "db", "--network", "lan", "--allow", "tcp:22:app", "--allow", "arp:0.0.0.0/0", "--wait");
    await must("sg", "update", "app", "--allow", "arp:db", "--wait");
    const create = (name: string, group: string) =>
      must("instance", "create", name, "--network", "lan", "--ssh-key", "ops", "--security-group", group, "--wait");
    await Promise.all([create("one", "app"), create("two", "db")]);
    expect([await connects("one", "two", 22), await pings("one", "two")]).toEqual([true, false]);
    expect(await connects("two", "one", 22)).toBe(false);
    const before = await must("instance", "get", "two", "-o", "jsonpath={.metadata.resourceVersion}");
    await must("sg", "update", "db", "--allow", "icmp:app", "--allow", "arp:0.0.0.0/0", "--wait");
    expect([await connects("one", "two", 22), await pings("one", "two")]).toEqual([false, true]);
    expect(await must("instance", "get", "two", "-o", "jsonpath={.metadata.resourceVersion}")).toBe(before);
  });

  test("M181 instances in the same network find each other only if a rule allows ARP", async () => {
    await must("sg", "update", "db", "--allow", "icmp:app", "--wait");
    await inside("one", "sudo", "ip", "neigh", "flush", "all");
    expect(await pings("one", "two")).toBe(false);
    await must("sg", "update", "db", "--allow", "icmp:app", "--allow", "arp:app", "--wait");
    await waitUntil("ARP works", () => pings("one", "two"));
  });

  test("an instance can change its groups without a restart, and a group in use cannot be deleted", async () => {
    const boot = await inside("two", "cat", "/proc/sys/kernel/random/boot_id", "&&", "stat", "-c", "%Y", "/proc/1");
    await must("instance", "update", "two", "--security-groups", "", "--wait");
    expect(await pings("one", "two")).toBe(false);
    await must("instance", "update", "two", "--security-groups", "db", "--wait");
    await waitUntil("the group is effective", () => pings("one", "two"));
    expect(await inside("two", "cat", "/proc/sys/kernel/random/boot_id", "&&", "stat", "-c", "%Y", "/proc/1")).toBe(boot);
    expect(await cloud("sg", "delete", "db", "--yes")).toMatchObject({ code: 4, err: expect.stringContaining('Instance "two"') });
  });

  test("the data on a volume survives a detachment, and is there in another instance", async () => {
    await must("volume", "create", "data", "--account", "rack", "--size-gib", "1", "--instance", "one", "--wait");
    const device = (await statusOf("volume", "data"))["device"] as string;
    await inside("one", "sudo", "mkfs.ext4", "-q", device, "&&", "sudo", "mount", device, "/mnt");
    await inside("one", "echo", "kept", "|", "sudo", "tee", "/mnt/file", "&&", "sync");
    expect(await cloud("volume", "attach", "data", "--instance", "two")).toMatchObject({
      code: 4,
      err: expect.stringContaining('attached to Instance "one"'),
    });
    expect(await cloud("instance", "delete", "one", "--yes")).toMatchObject({
      code: 4,
      err: expect.stringContaining('Volume "data"'),
    });
    const refused = await cloud("volume", "detach", "data", "--wait");
    expect([refused.code === 0, refused.err + refused.out]).toEqual([false, expect.stringContaining("/mnt")]);
    await inside("one", "sudo", "umount", "/mnt");
    await must("operation", "retry", await must("volume", "get", "data", "-o", "jsonpath={.metadata.operation}"), "--wait");
    expect(await statusOf("volume", "data")).toMatchObject({ attachedTo: "", device: "" });
    await must("volume", "attach", "data", "--instance", "two", "--wait");
    expect(await inside("two", "sudo", "mount", device, "/mnt", "&&", "cat", "/mnt/file")).toBe("kept");
    await inside("two", "sudo", "umount", "/mnt");
  });

  test("a snapshot of a mounted volume outlives the volume's changes and starts a new volume", async () => {
    const device = (await statusOf("volume", "data"))["device"] as string;
    await inside("two", "sudo", "mount", device, "/mnt");
    const copies = ["s1", "s2"].map((name) => must("volume", "snapshot", "data", "--name", name, "--wait"));
    await Promise.all(copies);
    await inside("two", "echo", "changed", "|", "sudo", "tee", "/mnt/file", "&&", "sync", "&&", "sudo", "umount", "/mnt");
    expect(await statusOf("snapshot", "s1")).toMatchObject({ phase: "RUNNING", sizeGib: 1, consistency: "frozen" });
    const create = ["volume", "create", "restored", "--account", "rack", "--source-snapshot", "s1"];
    await must(...create, "--size-gib", "1", "--instance", "one", "--wait");
    // Neither the snapshot nor its volume is needed any more.
    await must("snapshot", "delete", "s1", "s2", "--yes", "--wait");
    const restored = (await statusOf("volume", "restored"))["device"] as string;
    expect(await inside("one", "sudo", "mount", restored, "/mnt", "&&", "cat", "/mnt/file")).toBe("kept");
    await inside("one", "sudo", "umount", "/mnt");
    await must("volume", "resize", "restored", "--size-gib", "2", "--wait");
    await must("volume", "detach", "restored", "--wait");
    await must("volume", "delete", "restored", "--yes", "--wait");
    await inside("two", "sudo", "mount", device, "/mnt", "&&", "echo", "kept", "|", "sudo", "tee", "/mnt/file");
    await inside("two", "sync", "&&", "sudo", "umount", "/mnt");
    expect(await readdir(join(home, "agent", "host", "volumes", "snapshots"))).toEqual([]);
  });

  test("a volume grows while it is attached, and never shrinks", async () => {
    await must("volume", "resize", "data", "--size-gib", "2", "--wait");
    const device = (await statusOf("volume", "data"))["device"] as string;
    expect(await inside("two", "sudo", "blockdev", "--getsize64", device)).toBe(String(2 * 1024 ** 3));
    expect(await cloud("volume", "resize", "data", "--size-gib", "1")).toMatchObject({ code: 2 });
    expect(await statusOf("volume", "data")).toMatchObject({ sizeGib: 2, attachedTo: "two" });
  });

  test("a volume is there again after its instance was stopped and started", async () => {
    await must("instance", "stop", "two", "--wait");
    await must("instance", "start", "two", "--wait");
    const device = (await statusOf("volume", "data"))["device"] as string;
    await waitUntil("the instance answers", async () => (await cloud("instance", "ssh", "two", "--", "true")).code === 0);
    expect(await cloud("instance", "ssh", "two", "--", "test", "-b", device)).toMatchObject({ code: 0 });
  });

  test("M049 an agent that is killed while it attaches, detaches or changes rules completes the work when it comes back", async () => {
    // Work takes well under a second on an idle machine, and several seconds on a busy one.
    const after = (): number => random.below(random.below(2) === 0 ? workMs / 4 : workMs);
    let kills = 0;
    for (let round = 0; round < killedRounds; round += 1) {
      const [from, to] = round % 2 === 0 ? ["two", "one"] : ["one", "two"];
      const works: readonly (() => Promise<unknown>)[] = [
        () => must("volume", "detach", "data", "--instance", from, "--wait"),
        () => must("volume", "attach", "data", "--instance", to, "--wait"),
        () => must("sg", "update", "db", "--allow", `tcp:${2000 + round}:app`, "--allow", "arp:app", "--wait"),
        () => must("volume", "create", `more-${round}`, "--account", "rack", "--size-gib", "1", "--instance", to, "--wait"),
        () => must("volume", "detach", `more-${round}`, "--wait"),
        () => must("volume", "delete", `more-${round}`, "--yes", "--wait"),
      ];
      for (const work of works) kills += (await killAgentDuring(server.pid, after(), work)) ? 1 : 0;
      const device = (await statusOf("volume", "data"))["device"] as string;
      await waitUntil("the instance answers", async () => (await cloud("instance", "ssh", to, "--", "true")).code === 0);
      expect(await inside(to, "sudo", "mount", device, "/mnt", "&&", "cat", "/mnt/file", "&&", "sudo", "umount", "/mnt")).toBe(
        "kept",
      );
      expect(await cloud("instance", "ssh", from, "--", "test", "-b", device)).toMatchObject({ code: 1 });
    }
    expect(kills).toBeGreaterThan(0);
  });

  test("images of the machine are imported from allowed folders, listed and deleted", async () => {
    const images = async () => must("image", "list", "--account", "rack", "-o", "name");
    const at = (...path: string[]): string => join(home, "agent", ...path);
    await mkdir(at("images", "tiny", "etc"), { recursive: true });
    await mkdir(at("images", "tiny", "usr"));
    await writeFile(at("images", "bad.tar"), "no archive");
    const take = (name: string, path: string, ...flags: string[]) =>
      cloud("image", "import", name, "--account", "rack", "--path", path, ...flags);
    expect(await take("tiny", at("images", "tiny"))).toMatchObject({ code: 0 });
    const refusals = [
      [await take("secret", "/etc"), "hosts.image_source_denied"],
      [await take("bad", at("images", "bad.tar"), "--sha256", "0".repeat(64)), "hosts.checksum_mismatch"],
      [await take("tiny", at("images", "tiny")), "hosts.image_exists"],
      [await cloud("image", "delete", "debian-12", "--account", "rack"), "hosts.image_in_use"],
    ] as const;
    for (const [{ code, out, err }, fault] of refusals)
      expect([code === 0, out + err]).toEqual([false, expect.stringContaining(fault)]);
    expect(await images()).toBe("debian-12\ntiny");
    await must("image", "build", "debian-12", "--account", "rack");
    await must("image", "delete", "tiny", "--account", "rack");
    expect(await images()).toBe("debian-12");
  });

  test("everything is deleted", async () => {
    expect(await cloud("volume", "delete", "data", "--yes")).toMatchObject({ code: 4 });
    await must("volume", "detach", "data", "--wait");
    await must("volume", "delete", "data", "--yes", "--wait");
    await must("network", "delete", "lan", "--cascade", "--yes", "--wait");
    await must("account", "delete", "rack", "--yes", "--wait");
  });
});
