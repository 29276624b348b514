import { createRandom, printSeed } from "@cloudwright/platform/testing";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import type { HostDeps } from "../host-deps.ts";
import { nameObject } from "../names.ts";
import type { Port } from "./network.ts";
import { openNetworks, type Networks } from "./networks.ts";
import { killAfterEachTool } from "./testing/kill-after-each-tool.ts";
import { call, ip, ping, resolveName, runIn, scan, startEcho } from "./testing/probes.ts";
import {
  createHost,
  createOutside,
  deleteOutside,
  listNameServers,
  loseKernelObjects,
  newUid,
  openingSource,
  outside,
  requireNothingLeft,
} from "./testing/world.ts";

const random = createRandom(printSeed("networks.host"));
let host: HostDeps & { remove(): Promise<void> };
let networks: Networks;

beforeAll(createOutside);
afterAll(deleteOutside);
beforeEach(async () => {
  host = await createHost();
  networks = await openNetworks(host);
});
afterEach(async () => {
  await networks.clean();
  requireNothingLeft(host.directory);
  await host.remove();
});

const setUp = async (cidr: string, nat = true): Promise<string> => {
  const uid = newUid();
  await networks.ensure({ uid, cidr, nat, domain: "prod.internal" });
  return uid;
};

test("instances of a network reach each other, their gateway and the outside, which sees the host's address", async () => {
  const network = await setUp("10.70.0.0/24");
  const [a, b] = [
    await networks.attach({ uid: newUid(), network, name: "a" }),
    await networks.attach({ uid: newUid(), network, name: "b" }),
  ];
  expect([a.address, b.address, a.gateway, a.prefixLength, a.mtu]).toEqual(["10.70.0.2", "10.70.0.3", "10.70.0.1", 24, 1500]);
  const echoes = [
    await startEcho(b.namespace, { tcp: [80], udp: [90] }),
    await startEcho(outside.namespace, { tcp: [80], udp: [90] }),
  ];
  expect(await call(a.namespace, { protocol: "tcp", host: b.address, port: 80 })).toBe(a.address);
  expect(await call(a.namespace, { protocol: "udp", host: b.address, port: 90 })).toBe(a.address);
  expect(await ping(a.namespace, a.gateway)).toBe(true);
  expect(await call(a.namespace, { protocol: "tcp", host: outside.address, port: 80 })).toBe(outside.host);
  expect(await call(a.namespace, { protocol: "udp", host: outside.address, port: 90 })).toBe(outside.host);
  await Promise.all(echoes.map((echo) => echo.stop()));
});

test("networks are isolated from each other, and a network without NAT also from the outside", async () => {
  const [open, closed] = [await setUp("10.70.0.0/24"), await setUp("10.71.0.0/24", false)];
  const a = await networks.attach({ uid: newUid(), network: open, name: "a" });
  const b = await networks.attach({ uid: newUid(), network: closed, name: "a" });
  const c = await networks.attach({ uid: newUid(), network: closed, name: "c" });
  const everywhere = { tcp: [80], udp: [90] };
  const echoes = await Promise.all([a.namespace, b.namespace, outside.namespace].map((one) => startEcho(one, everywhere)));
  expect(await call(c.namespace, { protocol: "tcp", host: b.address, port: 80 })).toBe(c.address);
  const calls = (["tcp", "udp"] as const).flatMap((protocol) => {
    const port = protocol === "tcp" ? 80 : 90;
    return [
      call(a.namespace, { protocol, host: b.address, port }),
      call(b.namespace, { protocol, host: a.address, port }),
      call(b.namespace, { protocol, host: outside.address, port }),
    ];
  });
  expect(await Promise.all(calls)).toEqual(calls.map(() => ""));
  expect(await ping(a.namespace, b.address)).toBe(false);
  expect(await ping(a.namespace, b.gateway)).toBe(false);
  await Promise.all(echoes.map((echo) => echo.stop()));
});

test("instances reach the host only for DNS and ping at their gateway", async () => {
  const [network, other] = [await setUp("10.70.0.0/24"), await setUp("10.71.0.0/24")];
  const a = await networks.attach({ uid: newUid(), network, name: "a" });
  const echo = await startEcho(undefined, { tcp: [22, 8443], udp: [8443] });
  const server = await startEcho(a.namespace, { tcp: [22] });
  for (const address of [a.gateway, outside.host, "10.71.0.1"]) {
    expect(await scan(a.namespace, address, { tcp: [22, 8443], udp: [8443] })).toBe("");
    expect(await ping(a.namespace, address)).toBe(address === a.gateway);
  }
  expect(await resolveName(a.namespace, "10.71.0.1", "a.prod.internal")).not.toBe(a.address);
  expect(await call(undefined, { protocol: "tcp", host: outside.host, port: 22 })).toBe(outside.host);
  expect(await call(undefined, { protocol: "tcp", host: a.address, port: 22 })).toBe(a.gateway);
  expect(other).not.toBe(network);
  await Promise.all([echo.stop(), server.stop()]);
});

test("the name server resolves the names of attached instances, with and without the domain", async () => {
  const [network, other] = [await setUp("10.70.0.0/24"), await setUp("10.71.0.0/24")];
  const a = await networks.attach({ uid: newUid(), network, name: "a" });
  const b = await networks.attach({ uid: newUid(), network, name: "b" });
  await networks.attach({ uid: newUid(), network: other, name: "c" });
  const [server] = a.dns as [string];
  await expect.poll(() => resolveName(a.namespace, server, "b.prod.internal")).toBe(b.address);
  expect(await resolveName(a.namespace, server, "b")).toBe(b.address);
  expect(await resolveName(a.namespace, server, "c.prod.internal")).toBe("ENOTFOUND");
  await networks.detach(b.uid);
  await expect.poll(() => resolveName(a.namespace, server, "b.prod.internal")).toBe("ENOTFOUND");
});

test("invalid and conflicting requests are rejected with the reason", async () => {
  const network = await setUp("10.70.0.0/29");
  const attach = (name: string, address?: string, uid = newUid()) =>
    networks.attach({ uid, network, name, ...(address === undefined ? {} : { address }) });
  await expect(networks.ensure({ uid: newUid(), cidr: "10.70.0.0/16", nat: true })).rejects.toMatchObject({
    code: "hosts.overlapping_network",
  });
  await expect(networks.ensure({ uid: newUid(), cidr: "192.0.0.0/16", nat: true })).rejects.toMatchObject({
    code: "hosts.overlapping_network",
  });
  await expect(networks.ensure({ uid: network, cidr: "10.72.0.0/24", nat: true })).rejects.toMatchObject({
    code: "hosts.network_changed",
  });
  await expect(networks.attach({ uid: newUid(), network: newUid(), name: "a" })).rejects.toMatchObject({
    code: "hosts.unknown_network",
  });
  await expect(attach("A b")).rejects.toMatchObject({ code: "hosts.bad_port" });
  await expect(attach("a", "10.70.0.1")).rejects.toMatchObject({ code: "hosts.bad_port" });
  const a = await attach("a", "10.70.0.4");
  await expect(attach("a")).rejects.toMatchObject({ code: "hosts.name_taken" });
  await expect(attach("b", "10.70.0.4")).rejects.toMatchObject({ code: "hosts.address_taken" });
  await expect(attach("a", "10.70.0.5", a.uid)).rejects.toMatchObject({ code: "hosts.port_changed" });
  await expect(networks.remove(network)).rejects.toMatchObject({
    code: "hosts.network_in_use",
    message: expect.stringContaining(a.uid) as string,
  });
  for (const name of ["b", "c", "d", "e"]) await attach(name);
  await expect(attach("f")).rejects.toMatchObject({
    code: "hosts.addresses_exhausted",
    message: expect.stringContaining(network) as string,
  });
  for (const { uid } of await networks.listPorts()) await networks.detach(uid);
  await networks.remove(network);
  await networks.remove(network);
  expect(await networks.list()).toEqual([]);
});

test("thirty instances that are attached at once get different addresses, and another process sees their ports", async () => {
  const network = await setUp("10.70.0.0/26");
  const ports = await Promise.all(
    Array.from({ length: 30 }, (_, index) => networks.attach({ uid: newUid(), network, name: `i${index}` })),
  );
  expect(new Set(ports.map(({ address }) => address)).size).toBe(30);
  const [first, last] = [ports[0], ports[29]];
  if (first === undefined || last === undefined) throw new Error("no ports");
  expect(await ping(first.namespace, last.address)).toBe(true);
  const again = await openNetworks(host);
  expect((await again.listPorts()).map(({ address }) => address).toSorted()).toEqual(
    ports.map(({ address }) => address).toSorted(),
  );
  await Promise.all(ports.map(({ uid }) => networks.detach(uid)));
  expect((await ip("-brief", "link")).match(/\bcwp/g)).toBeNull();
});

test("after a reboot of the host everything is restored with the same addresses, and orphans are removed", async () => {
  const network = await setUp("10.70.0.0/24");
  const a = await networks.attach({ uid: newUid(), network, name: "a" });
  const b = await networks.attach({ uid: newUid(), network, name: "b", address: "10.70.0.77" });
  await loseKernelObjects(host.directory);
  const orphan = nameObject("namespace", "orphan");
  await ip("netns", "add", orphan);
  await ip("link", "add", nameObject("bridge", "orphan"), "type", "bridge");
  const again = await openNetworks(host);
  await again.restore();
  await again.restore();
  expect(await again.listPorts()).toEqual([a, b].toSorted((x, y) => (x.uid < y.uid ? -1 : 1)));
  expect(await ping(a.namespace, b.address)).toBe(true);
  await expect.poll(() => resolveName(a.namespace, a.gateway, "b")).toBe(b.address);
  expect(await ip("netns")).not.toContain(orphan);
  expect(await ip("-brief", "link")).not.toContain(nameObject("bridge", "orphan"));
  expect(listNameServers(host.directory)).toHaveLength(1);
});

test("a killed name server is started again, and a name server with outdated settings is replaced", async () => {
  const network = await setUp("10.70.0.0/24");
  const a = await networks.attach({ uid: newUid(), network, name: "a" });
  const [before = ""] = listNameServers(host.directory);
  process.kill(Number(before.split(" ")[0]), "SIGKILL");
  await expect.poll(() => listNameServers(host.directory)).toEqual([]);
  await networks.ensure({ uid: network, cidr: "10.70.0.0/24", nat: true, domain: "prod.internal" });
  await expect.poll(() => resolveName(a.namespace, a.gateway, "a.prod.internal")).toBe(a.address);
  await networks.ensure({ uid: network, cidr: "10.70.0.0/24", nat: true, domain: "test.internal" });
  await expect.poll(() => resolveName(a.namespace, a.gateway, "a.test.internal")).toBe(a.address);
  expect(listNameServers(host.directory)).toHaveLength(1);
});

test("a bridge that somebody deleted is missed, and its instances are connected with the new one", async () => {
  const network = await setUp("10.70.0.0/24");
  const a = await networks.attach({ uid: newUid(), network, name: "a" });
  expect(await networks.isUp(network)).toBe(true);
  await ip("link", "delete", nameObject("bridge", network));
  expect(await networks.isUp(network)).toBe(false);
  await networks.ensure({ uid: network, cidr: "10.70.0.0/24", nat: true, domain: "prod.internal" });
  expect(await networks.isUp(network)).toBe(true);
  expect(await ping(a.namespace, a.gateway)).toBe(true);
  expect((await networks.listRoutes()).map(({ range }) => range)).toEqual(["192.0.2.0/24"]);
});

test("a port that its instance has changed is corrected, and renewing it removes the interfaces that the instance created", async () => {
  const network = await setUp("10.70.0.0/24");
  const a = await networks.attach({ uid: newUid(), network, name: "a" });
  await ip("-n", a.namespace, "link", "delete", "host0");
  await ip("-n", a.namespace, "link", "add", "host0", "type", "bridge");
  expect(await networks.attach({ uid: a.uid, network, name: "a" })).toEqual(a);
  expect(await ping(a.namespace, a.gateway)).toBe(true);
  await ip("-n", a.namespace, "link", "set", "host0", "address", "02:00:00:00:00:99");
  await ip("-n", a.namespace, "link", "add", "pods", "type", "bridge");
  expect(await networks.renew(a.uid)).toEqual(a);
  expect(await ip("-n", a.namespace, "-brief", "link")).not.toContain("pods");
  expect(await ping(a.namespace, a.gateway)).toBe(true);
});

test("an operation that is killed after any of its tools is completed by repeating it", async () => {
  const network = { uid: newUid(), cidr: "10.70.0.0/24", nat: true, vxlan: { id: 7, peers: [outside.address] } };
  const kills = await killAfterEachTool(host, network, async (namespace, isAttached) => {
    expect(await ping(namespace, "10.70.0.1")).toBe(isAttached);
  });
  expect(kills).toBeGreaterThan(20);
});

test("a process killed at a random moment leaves nothing that blocks the next process", async () => {
  const network = await setUp("10.70.0.0/24");
  const uids = Array.from({ length: 4 }, newUid);
  for (let round = 0; round < 10; round += 1) {
    const source = ` ${openingSource(host.directory)}
      console.log("ready");
      await networks.ensure({ uid: ${JSON.stringify(network)}, cidr: "10.70.0.0/24", nat: true, domain: "round${round}.internal" });
      await Promise.all(${JSON.stringify(uids)}.map((uid, index) => networks.attach({ uid, network: ${JSON.stringify(network)}, name: "i" + index })));`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", source], { stdio: ["ignore", "pipe", "inherit"] });
    await once(child.stdout, "data");
    const delay = random.whole(0, 400);
    const timer = setTimeout(() => child.kill("SIGKILL"), delay);
    await once(child, "exit");
    clearTimeout(timer);
    const again = await openNetworks(host);
    // Tools of the killed process may still be running, so they may make the first attempts fail.
    await expect.poll(() => again.restore().then(() => "restored", String)).toBe("restored");
    const ports = await Promise.all(uids.map((uid, index) => again.attach({ uid, network, name: `i${index}` })));
    expect(new Set(ports.map(({ address }) => address)).size).toBe(4);
    for (const { namespace, gateway } of ports) expect(await ping(namespace, gateway)).toBe(true);
    await Promise.all(uids.slice(0, random.whole(0, 3)).map((uid) => again.detach(uid)));
  }
});

test("two hosts share a network through VXLAN, and each has a gateway of its own", async () => {
  const network = await setUp("10.70.0.0/24");
  const shared = (...peers: string[]) => ({ uid: network, cidr: "10.70.0.0/24", nat: true, vxlan: { id: 42, peers } });
  await networks.ensure(shared(outside.address));
  const a = await networks.attach({ uid: newUid(), network, name: "a" });
  expect(a.mtu).toBe(1450);
  // Here, the namespace `outside` is the other host.
  const other = await createHost();
  const port = { uid: newUid(), network, name: "b", address: "10.70.0.9" };
  const runThere = (code: string): Promise<string> => {
    const source = `${openingSource(other.directory)}\n${code}`;
    // Does not use "ip netns exec", which would hide the namespaces created there from this process.
    const enter = [`--net=/run/netns/${outside.namespace}`, process.execPath];
    return runIn(undefined, "nsenter", [...enter, "--input-type=module", "-e", source]);
  };
  const settings = JSON.stringify(shared(outside.host));
  const b = JSON.parse(
    await runThere(
      `await networks.ensure(${settings}); console.log(JSON.stringify(await networks.attach(${JSON.stringify(port)})))`,
    ),
  ) as Port;
  const echo = await startEcho(b.namespace, { tcp: [80] });
  await expect.poll(() => ping(a.namespace, b.address)).toBe(true);
  expect(await call(a.namespace, { protocol: "tcp", host: b.address, port: 80 })).toBe(a.address);
  expect(await ping(b.namespace, a.address)).toBe(true);
  for (const { namespace, gateway } of [a, b]) {
    expect(await ping(namespace, gateway)).toBe(true);
    await ip("-n", namespace, "neigh", "flush", "dev", "host0");
    expect(await ping(namespace, gateway)).toBe(true);
  }
  // Each name server knows only the instances of its own host.
  await expect.poll(() => resolveName(b.namespace, b.gateway, "b")).toBe(b.address);
  await networks.ensure(shared());
  await expect.poll(() => ping(b.namespace, a.address)).toBe(false);
  await echo.stop();
  await runThere(
    `await networks.detach(${JSON.stringify(port.uid)}); await networks.remove(${JSON.stringify(network)}); await networks.clean();`,
  );
  await other.remove();
});

test("cleaning restores the host's IP forwarding setting", async () => {
  const read = (): string => readFileSync("/proc/sys/net/ipv4/ip_forward", "utf8").trim();
  const before = read();
  await setUp("10.70.0.0/24");
  expect(read()).toBe("1");
  await networks.clean();
  await networks.clean();
  expect(read()).toBe(before);
  expect((await host.run("nft", ["list", "ruleset"])).stdout).not.toContain("cw");
});
