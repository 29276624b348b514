import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openHost, type Host, type HostedInstance } from "./host.ts";
import { listMounts } from "./images/mounts.ts";
import { testImage } from "./instances/testing/instance-world.ts";
import { listLeftovers } from "./instances/testing/leftovers.ts";
import { fillDisk, forkBomb, scanPorts, spoofArp, spoofPackets } from "./instances/testing/attacks.ts";
import { createKeyPair, runOverSsh, type KeyPair } from "./instances/testing/ssh-client.ts";
import { call, ip, startEcho } from "./networks/testing/probes.ts";
import type { Port } from "./networks/network.ts";
import { createHost, loseKernelObjects, newUid, requireNothingLeft } from "./networks/testing/world.ts";
import { runTool } from "./run-tool.ts";

const [network, open, closed] = [newUid(), newUid(), newUid()];
const [web, db, other] = [newUid(), newUid(), newUid()];
const [data, scratch] = [newUid(), newUid()];

/** Counts the processes of this machine whose command line starts with a text. */
function countProcesses(start: string): number {
  const lines = readdirSync("/proc").map((pid) => {
    try {
      return /^[0-9]+$/.test(pid) ? readFileSync(`/proc/${pid}/cmdline`, "utf8") : "";
    } catch {
      return "";
    }
  });
  return lines.filter((line) => line.startsWith(start)).length;
}

describe.skipIf(testImage === "")("a host with a network, two security groups, three instances and two volumes", () => {
  let machine: Awaited<ReturnType<typeof createHost>>;
  let host: Host;
  let key: KeyPair;
  let hostKey: KeyPair;
  const addresses = new Map<string, string>();

  const specOf = (uid: string, name: string, groups: readonly string[]): HostedInstance => ({
    uid,
    name,
    project: "shop",
    image: "debian-12",
    cpus: 1,
    memoryMib: 512,
    diskGib: 1,
    access: { user: "admin", authorizedKeys: [key.publicKey], hostKey },
    network,
    groups,
  });
  /** Repeats a command in an instance until it succeeds, and returns its output. */
  async function inside(uid: string, command: string): Promise<string> {
    const address = addresses.get(uid) ?? "";
    let output = "";
    const attempt = async (): Promise<number> => {
      const result = await runOverSsh({ user: "admin", address, key, hostKey: hostKey.publicKey }, command);
      output = `${result.stdout}${result.stderr}`;
      return result.code;
    };
    await expect.poll(attempt, { timeout: 120_000, interval: 200, message: command }).toBe(0);
    return output.trim();
  }
  const device = (volume: string): string => `/dev/disk/by-id/cloudwright-${volume}`;

  beforeAll(async () => {
    machine = await createHost();
    [key, hostKey] = [await createKeyPair(), await createKeyPair()];
    host = await openHost(machine);
    await host.images.importRootfs({ name: "debian-12", path: testImage }, undefined);
  });
  afterAll(async () => {
    await host?.clean();
    if (machine !== undefined) {
      requireNothingLeft(machine.directory);
      const left = await listLeftovers(machine.directory);
      if (left.length > 0) throw new Error(`left on the host: ${left.join("; ")}`);
    }
    await machine?.remove();
  });

  test("instances start with SSH access, and their security groups control who can reach them", async () => {
    await host.networks.ensure({ uid: network, cidr: "10.91.0.0/24", nat: false, domain: "shop.internal" });
    const arp = { protocol: "arp", source: { cidr: "0.0.0.0/0" } } as const;
    await host.firewall.setGroup({
      uid: open,
      rules: [arp, { protocol: "tcp", fromPort: 8080, toPort: 8080, source: { group: open } }],
    });
    await host.firewall.setGroup({ uid: closed, rules: [arp] });
    const specs = [specOf(web, "web", [open]), specOf(db, "db", [open]), specOf(other, "other", [closed])];
    const ports = await Promise.all(specs.map((spec) => host.createInstance(spec)));
    ports.forEach(({ uid, address }) => addresses.set(uid, address));
    expect(await Promise.all([web, db, other].map((uid) => inside(uid, "hostname")))).toEqual(["web", "db", "other"]);
    const [webPort, dbPort, otherPort] = ports.map(({ namespace }) => namespace);
    const echo = await startEcho(webPort, { tcp: [8080] });
    try {
      const to = { protocol: "tcp", host: addresses.get(web) ?? "", port: 8080 } as const;
      expect([await call(dbPort, to), await call(otherPort, to)]).toEqual([addresses.get(db), ""]);
    } finally {
      await echo.stop();
    }
  });

  test("data on a volume survives its move to another instance, a restart of the agent, and a power cut of the machine", async () => {
    await host.volumes.create({ uid: data, sizeGib: 1 });
    await host.volumes.create({ uid: scratch, sizeGib: 1 });
    await host.attachVolume(data, web);
    await host.attachVolume(scratch, other);
    await inside(
      web,
      `sudo mkfs.ext4 -q ${device(data)} && sudo mount ${device(data)} /mnt && echo kept | sudo tee /mnt/file && sync`,
    );
    await expect(host.volumes.detach(data)).rejects.toMatchObject({ code: "hosts.volume_in_use" });
    await expect(host.attachVolume(data, db)).rejects.toMatchObject({ code: "hosts.volume_attached" });
    await inside(web, "sudo umount /mnt");
    await host.volumes.detach(data);
    await host.attachVolume(data, db);
    expect(await inside(db, `sudo mount ${device(data)} /mnt && cat /mnt/file && sudo umount /mnt`)).toBe("kept");

    host = await openHost(machine);
    expect(await host.restore()).toEqual([]);
    expect(await inside(db, "hostname")).toBe("db");

    for (const uid of [web, db, other]) {
      const pid = await host.instances.enter(uid);
      process.kill(pid, "SIGKILL");
      await expect.poll(async () => (await host.instances.find(uid)).state, { timeout: 60_000 }).toBe("stopped");
    }
    await loseKernelObjects(machine.directory);
    for (const target of (await listMounts(machine.directory)).toReversed()) await runTool("umount", ["--lazy", target]);
    const loops = await runTool("losetup", ["--list", "--noheadings", "--output", "NAME,BACK-FILE"]);
    for (const line of loops.stdout.split("\n"))
      if (line.includes(machine.directory)) await runTool("losetup", ["--detach", line.split(" ")[0] ?? ""]);
    host = await openHost(machine);
    expect(await host.restore()).toEqual([]);
    expect(await inside(db, `sudo mount ${device(data)} /mnt && cat /mnt/file && sudo umount /mnt`)).toBe("kept");
    expect(await inside(other, `test -b ${device(scratch)} && hostname`)).toBe("other");
  });

  test("a resized instance keeps its disk and its volumes, and other security groups apply at once", async () => {
    await host.instances.resize(other, { cpus: 0.5, memoryMib: 256 }, undefined);
    expect(await host.instances.find(other)).toEqual({ state: "stopped" });
    await host.startInstance(other);
    expect(await inside(other, `test -b ${device(scratch)} && hostname`)).toBe("other");
    expect((await host.instances.list()).find(({ uid }) => uid === other)).toMatchObject({ cpus: 0.5, memoryMib: 256 });
    const reaches = () => inside(other, `ping -c 1 -W 1 ${addresses.get(web) ?? ""} > /dev/null && echo yes || echo no`);
    expect(await reaches()).toBe("no");
    await host.firewall.setGroup({
      uid: closed,
      rules: [
        { protocol: "arp", source: { cidr: "0.0.0.0/0" } },
        { protocol: "icmp", source: { cidr: "0.0.0.0/0" } },
      ],
    });
    await host.setGroups(web, [open, closed]);
    expect(await reaches()).toBe("yes");
    await host.setGroups(web, [open]);
    expect(await reaches()).toBe("no");
  });

  test("an instance that attacks its neighbours and the host as root is contained", async () => {
    const ports = new Map((await host.networks.listPorts()).map((port) => [port.uid, port]));
    const [webPort, dbPort] = [ports.get(web), ports.get(db)] as [Port, Port];
    const { gateway } = webPort;
    await host.firewall.setGroup({
      uid: open,
      rules: [
        { protocol: "arp", source: { cidr: "0.0.0.0/0" } },
        { protocol: "tcp", fromPort: 8080, source: { group: open } },
        // Allows the forged source, so that only the protection against spoofing stops the packets.
        { protocol: "udp", fromPort: 9090, source: { cidr: `${dbPort.address}/32` } },
      ],
    });
    const echo = await startEcho(webPort.namespace, { tcp: [8080], udp: [9090] });
    const service = await startEcho(undefined, { tcp: [22, 2379, 8443] });
    const counts = await runTool("sh", ["-c", "cat /proc/net/dev | wc -l; ls /run/netns | wc -l"]);
    const received = async (): Promise<string> => {
      const { stdout } = await runTool("ip", ["netns", "exec", webPort.namespace, "cat", "/proc/net/snmp"]);
      return stdout.match(/^Udp: (\d+)/m)?.[1] ?? "";
    };
    const python = (program: string): string => `sudo python3 - <<'END'\n${program}\nEND`;
    const to = { protocol: "tcp", host: webPort.address, port: 8080 } as const;
    try {
      // The same packet from the right instance arrives.
      const udpBefore = Number(await received());
      await call(dbPort.namespace, { protocol: "udp", host: webPort.address, port: 9090 });
      expect(Number(await received())).toBe(udpBefore + 1);
      const attacks = [
        inside(other, python(spoofArp([webPort.address, dbPort.address, gateway]))),
        inside(other, python(spoofPackets(dbPort, webPort.address, 9090))),
        inside(other, python(scanPorts(gateway, [22, 2379, 8443]))),
        inside(other, `sudo sh -c '${fillDisk}'`),
      ];
      expect(await Promise.all([inside(web, "hostname"), call(dbPort.namespace, to)])).toEqual(["web", dbPort.address]);
      const [, , scanned, filled] = await Promise.all(attacks);
      expect(scanned).toBe("");
      expect(filled).toContain("No space left on device");
      // The bomb also uses up the instance's memory, so nothing in the instance answers any more.
      await inside(other, `sudo tee /var/bomb <<'END' > /dev/null\n${forkBomb}\nEND`);
      await inside(other, "sudo systemd-run --quiet sh -c 'while :; do python3 /var/bomb; done'");
      await expect.poll(() => countProcesses("python3\0/var/bomb")).toBeGreaterThan(200);
      expect(await Promise.all([inside(web, "hostname"), call(dbPort.namespace, to)])).toEqual(["web", dbPort.address]);
      expect(Number(await received())).toBe(udpBefore + 1);
      const known = await ip("-n", dbPort.namespace, "neigh", "show", webPort.address);
      expect(known).toContain(webPort.mac);
    } finally {
      await Promise.all([echo.stop(), service.stop()]);
    }
    await host.instances.powerOff(other, undefined);
    await host.startInstance(other);
    expect(await inside(other, "hostname")).toBe("other");
    expect(await runTool("sh", ["-c", "cat /proc/net/dev | wc -l; ls /run/netns | wc -l"])).toEqual(counts);
  });

  test("deleting an instance keeps its volumes and removes everything else", async () => {
    await host.removeInstance(db);
    expect((await host.volumes.find(data))?.attachedTo).toBeUndefined();
    expect((await host.networks.listPorts()).map(({ uid }) => uid).toSorted()).toEqual([web, other].toSorted());
    await host.attachVolume(data, web);
    expect(await inside(web, `sudo mount ${device(data)} /mnt && cat /mnt/file && sudo umount /mnt`)).toBe("kept");
    await host.rebootInstance(web);
    expect(await inside(web, `test -b ${device(data)} && hostname`)).toBe("web");
    const { stdout } = await runTool("losetup", ["--list", "--noheadings", "--output", "BACK-FILE"]);
    expect(stdout).not.toContain(db);
  });
});
