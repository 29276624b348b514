import { expect, test } from "vitest";
import { createFakeWorld } from "../testing/fake-world.ts";

const groups = "/v1/projects/default/securitygroups";
const volumes = "/v1/projects/default/volumes";

test("M003 rules of a security group have a short form, and in an update they replace the others", async () => {
  const { run, server } = createFakeWorld();
  const allow = ["tcp:22:10.0.0.0/8", "udp:8000-8080:web", "icmp:0.0.0.0/0", "tcp:self"].flatMap((rule) => ["--allow", rule]);
  const created = await run("sg", "create", "web", "--network", "lan", ...allow, "--allow-egress", "all:0.0.0.0/0");
  expect(created).toMatchObject({ code: 0 });
  expect(server.find(`${groups}/web`)?.spec).toEqual({
    network: "lan",
    rules: [
      { direction: "ingress", protocol: "tcp", fromPort: 22, toPort: 22, cidr: "10.0.0.0/8" },
      { direction: "ingress", protocol: "udp", fromPort: 8000, toPort: 8080, group: "web" },
      { direction: "ingress", protocol: "icmp", cidr: "0.0.0.0/0" },
      { direction: "ingress", protocol: "tcp", group: "self" },
      { direction: "egress", protocol: "all", cidr: "0.0.0.0/0" },
    ],
  });
  await run("securitygroup", "update", "web", "--allow", "arp:self");
  expect(server.requests.at(-1)?.body).toEqual({ spec: { rules: [{ direction: "ingress", protocol: "arp", group: "self" }] } });
});

test.each([
  ["ssh:22:10.0.0.0/8", "use tcp, udp, icmp, arp, all"],
  ["tcp", "PROTOCOL:PORTS:PEER"],
  ["tcp:1:2:3", "PROTOCOL:PORTS:PEER"],
  ["tcp:22-:10.0.0.0/8", "such as 8000-8080"],
  ["tcp:22:10.0.0.1", "10.0.0.1/32"],
  ["tcp:0:0.0.0.0/0", "1 to 65535"],
  ["udp:0-100:0.0.0.0/0", "1 to 65535"],
  ["udp:1-70000:0.0.0.0/0", "70000 is not a port"],
])("M003 a malformed rule is rejected with what is allowed: %s", async (rule, reason) => {
  const { run, server } = createFakeWorld();
  const { code, err } = await run("sg", "create", "web", "--network", "lan", "--allow", rule);
  expect([code, server.requests.filter(({ method }) => method === "POST")]).toEqual([2, []]);
  expect(err).toContain(reason);
});

test("M003 the help explains the short form of rules", async () => {
  const { run } = createFakeWorld();
  const { out } = await run("sg", "create", "--help");
  expect(out.replace(/\s+/g, " ")).toContain("PROTOCOL:PORTS:SOURCE, for example tcp:22:10.0.0.0/8");
});

test("M003 volumes are attached, detached and made larger", async () => {
  const { run, server } = createFakeWorld();
  await run("volume", "create", "data", "--account", "rack", "--size-gib", "10");
  await run("volume", "attach", "data", "--instance", "web");
  expect(server.requests.at(-1)).toMatchObject({ method: "POST", path: `${volumes}/data:attach`, body: { instance: "web" } });
  await run("volume", "detach", "data", "--instance", "web");
  expect(server.requests.at(-1)).toMatchObject({ path: `${volumes}/data:detach`, body: { instance: "web" } });
  await run("volume", "detach", "data");
  expect(server.requests.at(-1)).toMatchObject({ path: `${volumes}/data:detach`, body: { instance: "" } });
  expect((await run("volume", "resize", "data", "--size-gib", "40")).out).toContain("volume/data will be resized");
  expect(server.find(`${volumes}/data`)?.spec).toMatchObject({ sizeGib: 40 });
});

test("M003 a volume is copied into a snapshot, and a new volume starts with its data", async () => {
  const { run, server } = createFakeWorld();
  expect((await run("volume", "snapshot", "data", "--name", "s1")).out).toContain("snapshot/s1");
  const created = { method: "POST", body: { metadata: { name: "s1" }, spec: { volume: "data" } } };
  expect(server.requests.at(-1)).toMatchObject(created);
  expect((await run("snapshot", "create", "s2", "--volume", "data")).code).toBe(0);
  expect((await run("snapshot", "list")).out).toContain("s2");
  await run("volume", "create", "copy", "--account", "rack", "--size-gib", "10", "--source-snapshot", "s1");
  expect(server.find(`${volumes}/copy`)?.spec).toMatchObject({ sourceSnapshot: "s1" });
  expect((await run("volume", "create", "other", "--source-snapshot-uid", "x")).code).toBe(2);
});

test("M003 missing or malformed arguments are rejected before anything is sent", async () => {
  const { run, server } = createFakeWorld();
  for (const words of [
    ["attach", "data"],
    ["resize", "data", "--size-gib", "big"],
    ["resize", "data"],
    ["attach", "--instance", "web"],
    ["snapshot", "data"],
    ["snapshot", "data", "more", "--name", "s1"],
  ])
    expect((await run("volume", ...words)).code).toBe(2);
  expect(server.requests).toEqual([]);
});
