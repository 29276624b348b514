import { createRandom, printSeed } from "@cloudwright/platform/testing";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import type { HostDeps } from "../../host-deps.ts";
import { nameObject } from "../../names.ts";
import type { Network, Port } from "../../networks/network.ts";
import { openNetworks, type Networks } from "../../networks/networks.ts";
import { gatewayMac } from "../../networks/render-network-rules.ts";
import { call, ip, ping, scan, startEcho, startTalk, type Echo } from "../../networks/testing/probes.ts";
import {
  createHost,
  createOutside,
  deleteOutside,
  loseKernelObjects,
  newUid,
  outside,
  requireNothingLeft,
} from "../../networks/testing/world.ts";
import { openFirewall, type Firewall } from "../firewall.ts";
import { renderRuleset } from "../render-ruleset.ts";
import { protocols, type Rule } from "../rules.ts";

/** Tests of the firewall that hold for bridges and for switches. */
export function describeFirewall(kind: Network["switch"]): void {
  const random = createRandom(printSeed(`firewall.${kind ?? "bridge"}`));
  const network = newUid();
  const everything = { tcp: [22, 80, 81, 8080], udp: [53, 90] };
  const anywhere = { cidr: "0.0.0.0/0" };
  const arp: Rule = { protocol: "arp", source: anywhere };
  const all: Rule = { protocol: "all", source: anywhere };

  let host: HostDeps & { remove(): Promise<void> };
  let networks: Networks;
  let firewall: Firewall;
  let echoes: Echo[];

  beforeAll(createOutside);
  afterAll(deleteOutside);
  beforeEach(async () => {
    echoes = [];
    host = await createHost();
    networks = await openNetworks(host);
    firewall = await openFirewall(host, () => networks.list());
    await networks.ensure({ uid: network, cidr: "10.70.0.0/24", nat: true, switch: kind });
    await ip("-n", outside.namespace, "route", "replace", "10.70.0.0/24", "via", outside.host);
  });
  afterEach(async () => {
    await Promise.all(echoes.map((echo) => echo.stop()));
    await firewall.clean();
    await networks.clean();
    requireNothingLeft(host.directory);
    await host.remove();
  });

  async function addGroup(...rules: Rule[]): Promise<string> {
    const uid = newUid();
    await firewall.setGroup({ uid, rules });
    return uid;
  }

  async function addInstance(name: string, groups: readonly string[], at = network): Promise<Port> {
    const port = await networks.attach({ uid: newUid(), network: at, name });
    await firewall.setPort({ uid: port.uid, network: at, address: port.address, mac: port.mac, groups });
    echoes.push(await startEcho(port.namespace, everything));
    return port;
  }

  /** Lets everything pass between the instances. */
  async function removeFirewall(): Promise<void> {
    await firewall.clean();
    // Unlike a bridge, a switch without flows drops everything.
    if (kind === "ovs")
      await host.run("ovs-ofctl", ["replace-flows", nameObject("bridge", network), "-"], { input: "actions=NORMAL\n" });
  }

  /** Makes an instance resolve a MAC address again, and returns the result. */
  async function learnMac(port: Port, address: string): Promise<string | undefined> {
    await ip("-n", port.namespace, "neigh", "flush", "dev", "host0");
    await ping(port.namespace, address);
    const [entry] = JSON.parse(await ip("-n", port.namespace, "-json", "neigh", "show", address)) as { lladdr?: string }[];
    return entry?.lladdr;
  }

  test("exactly the documented ports are open, by protocol, port range, source range and source group", async () => {
    const clients = await addGroup(arp);
    const web = await addGroup(
      arp,
      { protocol: "tcp", fromPort: 80, toPort: 81, source: anywhere },
      { protocol: "tcp", fromPort: 22, source: { cidr: "192.0.2.0/24" } },
    );
    const more = await addGroup(
      { protocol: "udp", fromPort: 90, source: { group: clients } },
      { protocol: "icmp", source: { group: clients } },
    );
    const server = await addInstance("server", [web, more]);
    const [client, stranger] = [await addInstance("client", [clients]), await addInstance("stranger", [web])];
    expect(await scan(client.namespace, server.address, everything)).toBe("tcp/80 tcp/81 udp/90");
    expect(await scan(stranger.namespace, server.address, everything)).toBe("tcp/80 tcp/81");
    expect(await scan(outside.namespace, server.address, everything)).toBe("tcp/22 tcp/80 tcp/81");
    expect(await scan(server.namespace, client.address, everything)).toBe("");
    expect(await scan(outside.namespace, client.address, everything)).toBe("");
    expect(await ping(client.namespace, server.address)).toBe(true);
    expect(await ping(stranger.namespace, server.address)).toBe(false);
    expect(await ping(outside.namespace, server.address)).toBe(false);
    expect(await ping(outside.namespace, client.address)).toBe(false);
    // Outbound traffic and replies to it need no rule.
    echoes.push(await startEcho(outside.namespace, everything));
    expect(await scan(client.namespace, outside.address, everything)).toBe("tcp/22 tcp/80 tcp/8080 tcp/81 udp/53 udp/90");
    // The host can always reach its instances, whatever the rules say.
    expect(await scan(undefined, client.address, { tcp: [22] })).toBe("tcp/22");
  });

  test("changes to the rules or members of a group take effect without changes inside instances", async () => {
    const clients = await addGroup(arp);
    const web = await addGroup(arp);
    const [server, client] = [await addInstance("server", [web]), await addInstance("client", [clients])];
    expect(await scan(client.namespace, server.address, everything)).toBe("");
    await firewall.setGroup({ uid: web, rules: [arp, { protocol: "tcp", source: { group: clients } }] });
    expect(await scan(client.namespace, server.address, everything)).toBe("tcp/22 tcp/80 tcp/8080 tcp/81");
    const { uid, address, mac } = client;
    await firewall.setPort({ uid, network, address, mac, groups: [web] });
    expect(await scan(client.namespace, server.address, everything)).toBe("");
    await firewall.setGroup({ uid: clients, rules: [], remoteMembers: [address] });
    expect(await scan(client.namespace, server.address, everything)).toBe("tcp/22 tcp/80 tcp/8080 tcp/81");
  });

  test("a rule change keeps the connections that are still allowed and cuts the others until they are allowed again", async () => {
    const group = newUid();
    const open = (...ports: number[]): Promise<void> =>
      firewall.setGroup({
        uid: group,
        rules: [arp, ...ports.map((fromPort): Rule => ({ protocol: "tcp", fromPort, source: anywhere }))],
      });
    await open(80, 81);
    const [server, client] = [await addInstance("server", [group]), await addInstance("client", [group])];
    const [kept, cut] = [
      await startTalk(client.namespace, server.address, 80),
      await startTalk(client.namespace, server.address, 81),
    ];
    await expect.poll(() => Math.min(kept.answers(), cut.answers())).toBeGreaterThan(5);
    await open(80);
    // A reply may still have been in transit.
    await expect
      .poll(async () => {
        const before = cut.answers();
        await scan(client.namespace, server.address, { tcp: [81] });
        return cut.answers() - before;
      })
      .toBe(0);
    const [keptBefore, cutBefore] = [kept.answers(), cut.answers()];
    await expect.poll(() => kept.answers()).toBeGreaterThan(keptBefore + 20);
    expect(cut.answers()).toBe(cutBefore);
    await open(80, 81);
    await expect.poll(() => cut.answers()).toBeGreaterThan(cutBefore + 20);
    await Promise.all([kept.stop(), cut.stop()]);
  });

  test("without an ARP rule only the gateway can resolve an instance's MAC address, and an ARP rule can limit its sources", async () => {
    const [group, clients] = [await addGroup(all), await addGroup(all, arp)];
    const server = await addInstance("server", [group]);
    const [client, stranger] = [
      await addInstance("client", [clients]),
      await addInstance("stranger", [group, await addGroup(arp)]),
    ];
    expect(await learnMac(client, server.address)).toBeUndefined();
    expect(await scan(client.namespace, server.address, everything)).toBe("");
    expect(await learnMac(server, server.gateway)).toBe(gatewayMac(network));
    expect(await scan(outside.namespace, server.address, { tcp: [80] })).toBe("tcp/80");
    await firewall.setGroup({ uid: group, rules: [all, { protocol: "arp", source: { group: clients } }] });
    expect(await learnMac(client, server.address)).toBe(server.mac);
    expect(await scan(client.namespace, server.address, { tcp: [80] })).toBe("tcp/80");
    expect(await learnMac(stranger, server.address)).toBeUndefined();
  });

  test("an instance can neither send with another address or MAC, nor claim the address of another instance", async () => {
    const group = await addGroup(all, arp);
    const [a, b, c] = [await addInstance("a", [group]), await addInstance("b", [group]), await addInstance("c", [group])];
    const spoofed = "10.70.0.200";
    await ip("-n", a.namespace, "addr", "add", `${spoofed}/24`, "dev", "host0");
    // Without the firewall, the same calls work.
    await removeFirewall();
    expect(await call(a.namespace, { protocol: "udp", host: b.address, port: 90, from: spoofed })).toBe(spoofed);
    await firewall.restore();
    expect(await call(a.namespace, { protocol: "udp", host: b.address, port: 90, from: spoofed })).toBe("");
    expect(await call(a.namespace, { protocol: "tcp", host: b.address, port: 80, from: spoofed })).toBe("");
    expect(await call(a.namespace, { protocol: "udp", host: b.address, port: 90 })).toBe(a.address);
    for (const [address, mac] of [
      [b.address, b.mac],
      [c.gateway, gatewayMac(network)],
    ] as const) {
      await ip("-n", a.namespace, "addr", "add", `${address}/24`, "dev", "host0");
      expect(await learnMac(c, address)).toBe(mac);
      await ip("-n", a.namespace, "addr", "delete", `${address}/24`, "dev", "host0");
    }
    await ip("-n", a.namespace, "link", "set", "host0", "address", b.mac);
    expect(await call(a.namespace, { protocol: "udp", host: c.address, port: 90 })).toBe("");
    expect(await call(c.namespace, { protocol: "udp", host: b.address, port: 90 })).toBe(c.address);
  });

  test("IPv6 packets and all packets of instances that the firewall does not know yet are dropped", async () => {
    const group = await addGroup(all, arp);
    const [a, b] = [await addInstance("a", [group]), await addInstance("b", [group])];
    await ip("-n", a.namespace, "addr", "add", "fd00::a/64", "dev", "host0", "nodad");
    await ip("-n", b.namespace, "addr", "add", "fd00::b/64", "dev", "host0", "nodad");
    // Without the firewall, the same call works. It also needs multicast, which ports do not normally receive.
    await removeFirewall();
    for (const { uid } of kind === undefined ? [a, b] : [])
      await ip("link", "set", "dev", nameObject("port", uid), "type", "bridge_slave", "mcast_flood", "on");
    expect(await scan(a.namespace, "fd00::b", { tcp: [80] })).toBe("tcp/80");
    await firewall.restore();
    expect(await scan(a.namespace, "fd00::b", { tcp: [80] })).toBe("");
    await firewall.removePort(a.uid);
    expect(await scan(a.namespace, b.address, everything)).toBe("");
    expect(await scan(b.namespace, a.address, everything)).toBe("");
    expect(await ping(a.namespace, a.gateway)).toBe(false);
  });

  test("if a group has an outbound rule, all other outbound traffic is dropped", async () => {
    const limited = await addGroup(arp, all, {
      direction: "egress",
      protocol: "tcp",
      fromPort: 80,
      source: { cidr: `${outside.address}/32` },
    });
    const open = await addGroup(arp, all);
    const [a, b] = [await addInstance("a", [limited]), await addInstance("b", [open])];
    echoes.push(await startEcho(outside.namespace, everything));
    expect(await scan(a.namespace, outside.address, everything)).toBe("tcp/80");
    expect(await scan(a.namespace, b.address, everything)).toBe("");
    expect(await ping(a.namespace, a.gateway)).toBe(true);
    await firewall.setGroup({
      uid: limited,
      rules: [arp, all, { direction: "egress", protocol: "udp", source: { group: open } }, { ...arp, direction: "egress" }],
    });
    expect(await scan(a.namespace, b.address, everything)).toBe("udp/53 udp/90");
    expect(await scan(b.namespace, a.address, { tcp: [22] })).toBe("tcp/22");
  });

  test("denied traffic never passes while the rules are loaded repeatedly", async () => {
    const group = await addGroup(arp, { protocol: "tcp", fromPort: 80, source: anywhere });
    const [a, b] = [await addInstance("a", [group]), await addInstance("b", [group])];
    const talk = await startTalk(a.namespace, b.address, 80);
    const running = new Set(["first", "second", "third"]);
    const scanning = [...running].map(async (name) => {
      const open = await scan(a.namespace, b.address, { tcp: [22], udp: [53, 90] });
      running.delete(name);
      return open;
    });
    while (running.size > 0) await firewall.apply();
    expect(await Promise.all(scanning)).toEqual(["", "", ""]);
    const before = talk.answers();
    await expect.poll(() => talk.answers()).toBeGreaterThan(before);
    await talk.stop();
  });

  test("the firewall is restored after a reboot of the host, before any packet can pass", async () => {
    const group = await addGroup(arp, { protocol: "tcp", fromPort: 80, source: anywhere });
    const [a, b] = [await addInstance("a", [group]), await addInstance("b", [group])];
    await Promise.all(echoes.splice(0).map((echo) => echo.stop()));
    await loseKernelObjects(host.directory);
    networks = await openNetworks(host);
    firewall = await openFirewall(host, () => networks.list());
    await firewall.restore();
    await networks.restore();
    await firewall.apply();
    echoes.push(await startEcho(b.namespace, everything));
    expect(await scan(a.namespace, b.address, everything)).toBe("tcp/80");
  });

  test("a group in use cannot be removed, and an unknown group cannot be assigned to an instance", async () => {
    const group = await addGroup(arp);
    const port = await addInstance("a", [group]);
    await expect(firewall.removeGroup(group)).rejects.toMatchObject({
      code: "hosts.group_in_use",
      message: expect.stringContaining(port.uid) as string,
    });
    await expect(firewall.setPort({ ...port, groups: [newUid()] })).rejects.toMatchObject({ code: "hosts.unknown_group" });
    await expect(firewall.setPort({ ...port, uid: newUid(), groups: [] })).rejects.toMatchObject({ code: "hosts.address_taken" });
    await firewall.removePort(port.uid);
    await firewall.removePort(port.uid);
    await firewall.removeGroup(group);
    await firewall.removeGroup(group);
    expect([...(await firewall.listGroups()), ...(await firewall.listPorts())]).toEqual([]);
  });

  test("the kernel accepts the ruleset of any combination of rules", async () => {
    for (let round = 0; round < 40; round += 1) {
      const uids = Array.from({ length: random.whole(1, 6) }, newUid);
      const groups = uids.map((uid) => ({
        uid,
        rules: Array.from({ length: random.whole(0, 12) }, () => randomRule(uids)),
        remoteMembers: random.chance(0.3) ? ["10.9.9.9"] : [],
      }));
      const ports = Array.from({ length: random.whole(0, 20) }, (_, index) => {
        const uid = newUid();
        return {
          uid,
          network,
          address: `10.70.0.${index + 2}`,
          mac: `02:00:00:00:00:${String(index + 10)}`,
          groups: uids.filter(() => random.chance(0.4)),
        };
      });
      const { code } = await host.run("nft", ["--check", "--file", "-"], { input: renderRuleset({ groups, ports }) });
      expect(code).toBe(0);
    }
  });

  test.runIf(kind === "ovs")("M177 the switch accepts the flows of any combination of rules", async () => {
    const uids = await Promise.all(Array.from({ length: 4 }, () => addGroup()));
    for (const name of ["a", "b", "c"]) await addInstance(name, uids.filter(() => random.chance(0.6))); // prettier-ignore
    for (let round = 0; round < 8; round += 1) {
      const uid = random.pick(uids);
      const rules = Array.from({ length: random.whole(0, 12) }, () => randomRule(uids));
      await firewall.setGroup({ uid, rules, remoteMembers: random.chance(0.3) ? ["10.9.9.9"] : [] });
    }
    const { stdout } = await host.run("ovs-ofctl", ["--protocols=OpenFlow14", "dump-flows", nameObject("bridge", network)]);
    expect(stdout).toContain("table=0, ");
  });

  function randomRule(uids: readonly string[]): Rule {
    const protocol = random.pick(protocols);
    const fromPort = random.whole(1, 65_535);
    const hasPorts = (protocol === "tcp" || protocol === "udp") && random.chance(0.7);
    return {
      direction: random.pick(["ingress", "egress"]),
      protocol,
      ...(hasPorts ? { fromPort, ...(random.chance(0.5) ? { toPort: random.whole(fromPort, 65_535) } : {}) } : {}),
      source: random.chance(0.5)
        ? { group: random.pick([...uids, newUid()]) }
        : { cidr: random.pick(["0.0.0.0/0", "10.0.0.0/8", "192.0.2.7", "10.1.2.3/16"]) },
    };
  }
}
