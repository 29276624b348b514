import { cloudNames, getCloud } from "@cloudwright/contract/clouds";
import { expect, test } from "vitest";
import { createFakeWorld } from "../testing/fake-world.ts";

const accounts = "/v1/projects/default/accounts";

async function createWorld(options: Parameters<typeof createFakeWorld>[0] = {}) {
  const fake = createFakeWorld(options);
  await fake.run("account", "create", "sandbox", "--cloud", "aws", "--simulated");
  const vpc = { type: "aws_vpc", id: "vpc-1", attributes: { cidr: "10.0.0.0/16", tags: { Name: "main" } }, simulated: true };
  const association = { type: "aws_association", id: "subnet-1/rtb-1", attributes: {}, simulated: true };
  fake.server.setSimulation(`${accounts}/sandbox`, { records: [association, vpc], faults: [], conditions: { quotas: {} } });
  const last = () => fake.server.requests.at(-1);
  return { ...fake, last };
}

test("M003 M089 the inventory is listed by type and entity and marked as simulated", async () => {
  const { run, last } = await createWorld();
  const { out } = await run("sim", "inventory", "--account", "sandbox");
  expect(out).toMatch(/^SIMULATED +NAME +CHANGED\naws_association\/subnet-1\/rtb-1\naws_vpc\/vpc-1 +main\n$/);
  expect((await run("sim", "inventory", "aws_vpc", "-o", "name")).out).toBe("aws_vpc/vpc-1\n");
  expect((await run("sim", "inventory", "aws_eip")).err).toContain("simulated");
  const json = JSON.parse((await run("sim", "inventory", "-o", "json")).out) as object;
  expect(json).toMatchObject({ simulated: true, items: [{ simulated: true }, {}] });
  await run("network", "create", "main", "--account", "sandbox");
  await run("sim", "inventory", "--entity", "network/main");
  expect(last()?.query.get("entityUid")).toMatch(/^0{8}-/);
});

test("M003 one resource is shown with all its attributes", async () => {
  const { run } = await createWorld();
  expect((await run("sim", "inventory", "aws_vpc/vpc-1")).out).toBe(
    'simulated aws_vpc/vpc-1\n  cidr = "10.0.0.0/16"\n  tags = {"Name":"main"}\n',
  );
  expect((await run("sim", "inventory", "aws_vpc/vpc-1", "-o", "jsonpath={.attributes.cidr}")).out).toBe("10.0.0.0/16\n");
  expect((await run("sim", "inventory", "aws_vpc/vpc-2")).code).toBe(3);
});

test("M042 a resource is changed: values may be JSON, and dots select nested attributes", async () => {
  const { run, last } = await createWorld();
  const changes = ["dns=false", "size=3", "owner=me", "tags.a=b", "tags.c=null", '{"x":{"a.b":1}}'];
  const { out } = await run("sim", "drift", "aws_vpc/vpc-1", ...changes);
  expect(out).toBe("simulated aws_vpc/vpc-1 changed: dns, size, owner, tags, x\n");
  const attributes = { dns: false, size: 3, owner: "me", tags: { a: "b", c: null }, x: { "a.b": 1 } };
  expect(last()?.body).toEqual({ type: "aws_vpc", id: "vpc-1", attributes });
  expect((await run("sim", "drift", "aws_vpc/vpc-1", "dns")).code).toBe(2);
  expect((await run("sim", "drift", "vpc-1", "dns=1")).code).toBe(2);
});

test("M003 a resource is deleted, even if its id contains slashes", async () => {
  const { run } = await createWorld();
  expect((await run("sim", "delete", "aws_association/subnet-1/rtb-1")).out).toBe(
    "simulated aws_association/subnet-1/rtb-1 deleted\n",
  );
  expect((await run("sim", "delete", "aws_association/subnet-1/rtb-1")).code).toBe(3);
});

test("M003 faults are injected, listed and removed", async () => {
  const { run, last } = await createWorld();
  expect(
    (await run("sim", "fail", "create", "aws_vpc", "--nth", "2", "--times", "3", "--message", "VpcLimitExceeded: no")).out,
  ).toBe('simulated account/sandbox: fault injected for create calls 2-4 of aws_vpc: error "VpcLimitExceeded: no"\n');
  await run("sim", "fail", "read", "--kind", "slow", "--delay", "2s");
  expect(last()?.body).toEqual({
    operation: "read",
    type: "",
    kind: "slow",
    delayMs: 2000,
    afterEffect: false,
    deaf: false,
    nth: 1,
    times: 1,
  });
  const { out } = await run("sim", "faults");
  expect(out).toMatch(
    /^SIMULATED FAULT +CALLS +STATE +SEEN +AGE\nerror .*\ndelay of 2000ms +read call 1 of any type +PLANNED .*\n$/,
  );
  expect((await run("sim", "faults", "-o", "name")).out).toBe("f-1\nf-2\n");
  expect((await run("sim", "faults", "--clear", "f-1")).out).toContain("fault f-1 removed");
  expect((await run("sim", "faults", "--clear")).out).toContain("simulated");
  expect((await run("sim", "faults")).err).toContain("no pending faults");
  for (const wrong of [["dance"], ["create", "--kind", "fire"], ["create", "--delay", "long"], ["create", "--nth", "0"]])
    expect([wrong, (await run("sim", "fail", ...wrong)).code]).toEqual([wrong, 2]);
  expect((await run("sim", "faults", "f-1")).code).toBe(2);
});

test("M003 throttling, speed and quotas are set and reset", async () => {
  const { run, last } = await createWorld();
  const sent = async (...args: string[]): Promise<unknown> => {
    expect([args, (await run("sim", ...args)).out]).toEqual([args, expect.stringContaining("simulated")]);
    return last()?.body;
  };
  expect(await sent("throttle", "2", "--burst", "1")).toEqual({ callsPerSecond: 2, burst: 1 });
  expect(await sent("throttle", "--off")).toEqual({ callsPerSecond: 0 });
  expect(await sent("slow", "--speed", "10", "--lag", "30s")).toEqual({ speed: 10, lagMs: 30_000 });
  expect(await sent("slow", "--off")).toEqual({ speed: 0, lagMs: 0 });
  expect((await run("sim", "quota")).err).toContain("simulated");
  expect(await sent("quota", "roles=3", "vpcs-per-region=default")).toEqual({ quotas: { roles: 3, "vpcs-per-region": -1 } });
  expect((await run("sim", "quota")).out).toMatch(/^SIMULATED QUOTA +LIMIT\nroles +3\n/);
  for (const wrong of [["throttle"], ["throttle", "2", "--off"], ["slow"], ["quota", "roles"], ["quota", "roles=-1"]])
    expect([wrong, (await run("sim", ...wrong)).code]).toEqual([wrong, 2]);
});

test("X085 the help and the completion of `cloud sim quota` list the quotas of every cloud", async () => {
  const { run } = await createWorld();
  const help = (await run("sim", "quota", "--help")).out;
  const offered = (await run("__complete", "--", "sim", "quota", "")).out.split("\n");
  for (const cloud of cloudNames) {
    for (const [name, most] of Object.entries(getCloud(cloud).quotas)) {
      expect(help).toContain(`${name} (default: ${most})`);
      expect(offered).toContain(`${name}=`);
    }
  }
});

test("X011 a reset requires the account's name on a terminal, and --yes elsewhere", async () => {
  const elsewhere = await createWorld();
  expect(await elsewhere.run("sim", "reset")).toMatchObject({ code: 4, out: "" });
  expect((await elsewhere.run("sim", "inventory", "-o", "name")).out).not.toBe("");
  expect((await elsewhere.run("sim", "reset", "--yes")).out).toBe(
    "simulated account/sandbox: the simulated cloud is now empty\n",
  );
  expect((await elsewhere.run("sim", "inventory", "-o", "name")).out).toBe("");
  expect((await (await createWorld({ typed: ["yes"] })).run("sim", "reset")).code).toBe(4);
  expect((await (await createWorld({ typed: ["sandbox"] })).run("sim", "reset")).code).toBe(0);
});

test("M003 the default account is the only simulated one; several need --account, and a real one is rejected", async () => {
  const { run } = await createWorld();
  await run("account", "create", "real", "--cloud", "aws");
  expect((await run("sim", "inventory")).code).toBe(0);
  expect(await run("sim", "inventory", "--account", "real")).toMatchObject({
    code: 4,
    err: expect.stringContaining("api.not_simulated") as string,
  });
  await run("account", "create", "second", "--cloud", "aws", "--simulated");
  expect(await run("sim", "inventory")).toMatchObject({ code: 2, err: expect.stringContaining("sandbox, second") as string });
});

test("M003 completion knows the commands, their arguments and the accounts", async () => {
  const { run } = await createWorld();
  const complete = async (...words: string[]): Promise<string[]> =>
    (await run("__complete", "--", ...words)).out.split("\n").map((line) => line.split("\t")[0] as string);
  expect(await complete("sim", "")).toEqual(expect.arrayContaining(["inventory", "drift", "fail", "faults", "reset"]));
  expect(await complete("sim", "fail", "create", "--kind", "l")).toContain("lost_reply");
  expect(await complete("sim", "inventory", "--account", "s")).toContain("sandbox");
  expect(await complete("sim", "fail", "--")).toContain("--message");
});

test("M150 credentials are printed for a shell, and nothing else", async () => {
  const { run, last } = await createWorld();
  const { out } = await run("sim", "credentials", "--account", "sandbox", "--rotate", "--region", "eu-west-1");
  expect(out).toBe("export CLOUD_KEY='it'\\\\''s a key'\nexport CLOUD_ENDPOINT=http://127.0.0.1:8483\n".replaceAll("\\\\", "\\"));
  expect(last()?.body).toEqual({ rotate: true, region: "eu-west-1" });
  expect((await run("sim", "credentials", "--ca")).out).toBe("-----BEGIN CERTIFICATE-----\n");
  expect(JSON.parse((await run("sim", "credentials", "-o", "json")).out)).toMatchObject({ simulated: true });
});
