import { nameObject } from "@cloudwright/hosts";
import { createOutside, deleteOutside, ip, outside, ping, scan, startEcho } from "@cloudwright/hosts/testing";
import { processEnvironment } from "@cloudwright/platform";
import { createRandom, printSeed } from "@cloudwright/platform/testing";
import { existsSync } from "node:fs";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runCloud, type CommandOutcome } from "./cloud-command.ts";
import { createHome, removeHome } from "./home-directory.ts";
import { listHostObjects, listNspawnFiles, rebootHost } from "./host-objects.ts";
import { killAgentDuring } from "./kill-host-agent.ts";
import { startServer, type RunningServer } from "./server.ts";
import { waitUntil } from "./wait-until.ts";

/** Folder with the root file system of the image. `npm run test:hosts` builds it. */
const image = processEnvironment["CLOUDWRIGHT_HOST_IMAGE"] ?? "";

const killedRounds = 2;
/** About the time that an agent needs for one change. */
const workMs = 1500;

/** The documented rules of a cluster's nodes, and ports next to them. */
const nodeRules = ["tcp:6443", "udp:4789", "tcp:179", "tcp:10250", "tcp:30000-32767", "udp:30000-32767", "arp"];
const ports = [178, 179, 4788, 4789, 6443, 6444, 10_250, 10_251, 29_999, 30_000, 32_767, 32_768];
const openPorts = "tcp/10250 tcp/179 tcp/30000 tcp/32767 tcp/6443 udp/30000 udp/32767 udp/4789";

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
    // A namespace that plays the rest of the world.
    await createOutside();
    await ip("-n", outside.namespace, "route", "replace", "10.96.0.0/24", "via", outside.host);
  });
  afterAll(async () => {
    await server?.stop();
    await must("local", "clean", "--yes");
    await deleteOutside();
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

  /** Returns the network namespace of an instance, in which probes have its address. */
  async function namespaceOf(name: string): Promise<string> {
    const { metadata } = JSON.parse(await must("instance", "get", name, "-o", "json")) as { metadata: { uid: string } };
    return nameObject("namespace", `${metadata.uid}-this`);
  }
  const reaches = async (name: string): Promise<boolean> => (await cloud("instance", "ssh", name, "--", "true")).code === 0;
  /** Returns the ports of the instance `node` on which the outside and another instance get replies. */
  async function scanNode(): Promise<string[]> {
    const echo = await startEcho(await namespaceOf("node"), { tcp: ports, udp: ports });
    const [address, from] = [await addressOf("node"), [undefined, outside.namespace, await namespaceOf("one")]];
    const [everything = "", ...open] = await Promise.all(
      from.map((each) => scan(each, address, { tcp: ports, udp: ports }, 3000)),
    );
    await echo.stop();
    // The machine itself is always allowed, so a program listens on every port.
    expect(everything.split(" ")).toHaveLength(2 * ports.length);
    return open;
  }

  test("an instance accepts what its groups allow, and nothing else, as soon as a rule has changed", async () => {
    await must("securitygroup", "create", "app", "--network", "lan", "--wait");
    await must("sg", "create", "db", "--network", "lan", "--allow", "tcp:22:app", "--allow", "arp:0.0.0.0/0", "--wait");
    await must("sg", "update", "app", "--allow", "arp:db", "--wait");
    const create = (name: string, group: string) =>
      must("instance", "create", name, "--network", "lan", "--ssh-key", "ops", "--security-group", group, "--wait");
    const allowed = nodeRules.flatMap((rule) => ["--allow", `${rule}:0.0.0.0/0`]);
    await must("sg", "create", "nodes", "--network", "lan", ...allowed, "--wait");
    await Promise.all([create("one", "app"), create("two", "db"), create("node", "nodes")]);
    expect([await connects("one", "two", 22), await pings("one", "two")]).toEqual([true, false]);
    expect(await connects("two", "one", 22)).toBe(false);
    const before = await must("instance", "get", "two", "-o", "jsonpath={.metadata.resourceVersion}");
    await must("sg", "update", "db", "--allow", "icmp:app", "--allow", "arp:0.0.0.0/0", "--wait");
    expect([await connects("one", "two", 22), await pings("one", "two")]).toEqual([false, true]);
    expect(await must("instance", "get", "two", "-o", "jsonpath={.metadata.resourceVersion}")).toBe(before);
  });

  test("M180 exactly the documented ports of a node are open, from outside and from another instance, and none in the other direction", async () => {
    await must("sg", "update", "app", "--allow", "arp:0.0.0.0/0", "--wait");
    expect(await scanNode()).toEqual([openPorts, openPorts]);
    const [one, node] = [await namespaceOf("one"), await namespaceOf("node")];
    const echoes = await Promise.all([one, outside.namespace].map((each) => startEcho(each, { tcp: [6443], udp: [30_000] })));
    const wanted = { tcp: [6443], udp: [30_000] };
    expect([await scan(node, await addressOf("one"), wanted), await ping(node, await addressOf("one"))]).toEqual(["", false]);
    expect(await scan(outside.namespace, await addressOf("one"), wanted)).toBe("");
    // Connections to the outside need no rule.
    expect(await scan(node, outside.address, wanted)).toBe("tcp/6443 udp/30000");
    await Promise.all(echoes.map((echo) => echo.stop()));
  });

  test("rules, names and attachments that are impossible are refused and name the input", async () => {
    for (const [rule, named] of [
      ["tcp:9000-80:0.0.0.0/0", "9000"],
      ["tcp:0:0.0.0.0/0", "0"],
      ["udp:70000:0.0.0.0/0", "70000"],
      ["icmp:80:0.0.0.0/0", "icmp"],
      ["tcp:80:fd00::/8", "fd00"],
      ["tcp:80:nobody", "nobody"],
    ] as const) {
      const { code, err } = await cloud("sg", "create", "bad", "--network", "lan", "--allow", rule);
      expect([rule, code === 0, err]).toEqual([rule, false, expect.stringContaining(named)]);
    }
    const again = await cloud("sg", "create", "db", "--network", "lan");
    expect([again.code, again.err]).toEqual([4, expect.stringContaining("db")]);
    expect((await cloud("volume", "create", "x", "--account", "rack", "--size-gib", "1", "--instance", "nobody")).code).not.toBe(
      0,
    );
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
    await waitUntil("the instance answers", () => reaches("two"));
    expect(await cloud("instance", "ssh", "two", "--", "test", "-b", device)).toMatchObject({ code: 0 });
  });

  test("M049 an agent that is killed while it attaches, detaches, resizes or changes rules completes the work when it comes back", async () => {
    // Work takes well under a second on an idle machine, and several seconds on a busy one.
    const after = (): number => random.below(random.below(2) === 0 ? workMs / 4 : workMs);
    let kills = 0;
    for (let round = 0; round < killedRounds; round += 1) {
      const [from, to] = round % 2 === 0 ? ["two", "one"] : ["one", "two"];
      const move: readonly (() => Promise<unknown>)[] = [
        () => must("volume", "detach", "data", "--instance", from, "--wait"),
        () => must("volume", "attach", "data", "--instance", to, "--wait"),
      ];
      const change: typeof move = [
        () => must("sg", "update", "db", "--allow", "tcp:2000:app", "--allow", "arp:app", "--wait"),
        () => must("volume", "resize", "data", "--size-gib", "3", "--wait"),
      ];
      const replace: typeof move = [
        () => must("volume", "create", "more", "--account", "rack", "--size-gib", "1", "--instance", to, "--wait"),
        () => must("volume", "detach", "more", "--wait"),
        () => must("volume", "delete", "more", "--yes", "--wait"),
      ];
      const works = [...move, ...(round === 0 ? change : replace)];
      for (const work of works) kills += (await killAgentDuring(server.pid, after(), work)) ? 1 : 0;
      const device = (await statusOf("volume", "data"))["device"] as string;
      await waitUntil("the instance answers", () => reaches(to));
      expect(await inside(to, "sudo", "blockdev", "--getsize64", device)).toBe(String(3 * 1024 ** 3));
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

  test("M206 after a restart of the machine, instances, addresses, host keys, rules and volumes are there again, with their data", async () => {
    const names = ["one", "two", "node"];
    const describeAll = () =>
      Promise.all(
        names.map(async (name) => {
          const { privateAddress, hostKeys, machineStatus } = await statusOf("instance", name);
          return { name, privateAddress, hostKeys, machineStatus };
        }),
      );
    await must("volume", "create", "logs", "--account", "rack", "--size-gib", "1", "--instance", "node", "--wait");
    const logs = (await statusOf("volume", "logs"))["device"] as string;
    await waitUntil("the instance answers", () => reaches("node"));
    await inside("node", "sudo", "mkfs.ext4", "-q", logs, "&&", "sudo", "mount", logs, "/mnt");
    await inside("node", "echo", "logged", "|", "sudo", "tee", "/mnt/file", "&&", "sync");
    const [before, open] = [await describeAll(), await scanNode()];
    expect(open).toEqual([openPorts, openPorts]);

    await server.stop();
    await rebootHost(home);
    expect([...listHostObjects(home), ...listNspawnFiles(home)]).toEqual([]);
    server = await startServer({ home, environment });
    for (const name of names) await waitUntil(`${name} answers`, () => reaches(name), 120_000);
    expect(await describeAll()).toEqual(before);
    expect(await scanNode()).toEqual(open);
    const data = (await statusOf("volume", "data"))["device"] as string;
    const holder = (await statusOf("volume", "data"))["attachedTo"] as string;
    const read = (name: string, device: string) =>
      inside(name, "sudo", "mount", device, "/mnt", "&&", "cat", "/mnt/file", "&&", "sudo", "umount", "/mnt");
    expect([await read(holder, data), await read("node", logs)]).toEqual(["kept", "logged"]);
  });

  test("everything is deleted, and the machine is as before", async () => {
    expect(await cloud("volume", "delete", "data", "--yes")).toMatchObject({ code: 4 });
    const files = listNspawnFiles(home);
    // The lists would otherwise be empty because they look for the wrong names.
    expect([files.length > 0, listHostObjects(home).length > 10]).toEqual([true, true]);
    await Promise.all(
      ["data", "logs"].map(async (name) => {
        await must("volume", "detach", name, "--wait");
        await must("volume", "delete", name, "--yes", "--wait");
      }),
    );
    await must("network", "delete", "lan", "--cascade", "--yes", "--wait");
    await must("account", "delete", "rack", "--yes", "--wait");
    expect([...listHostObjects(home), ...files.filter((file) => existsSync(file))]).toEqual([]);
  });
});
