import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createFakeWorld } from "../testing/fake-world.ts";
import { createInstanceWorld as createWorld } from "../testing/instance-world.ts";

const hostKey = `ssh-ed25519 ${"A".repeat(68)}`;
const privateKey = "-----BEGIN OPENSSH PRIVATE KEY-----\ncanary\n-----END OPENSSH PRIVATE KEY-----\n";

const optionOf = (args: readonly string[], name: string): string =>
  args.find((arg) => arg.startsWith(`${name}=`))?.slice(name.length + 1) ?? "";

test("M007 ssh gets the stored key in a file that only the user can read, checks the recorded host key, and leaves nothing behind", async () => {
  const files: string[] = [];
  const { run } = createWorld({ hostKeys: [hostKey], privateKeys: [privateKey] }, (args) => {
    const [known, key] = [optionOf(args, "UserKnownHostsFile"), args[args.indexOf("-i") + 1] ?? ""];
    files.push(known, key);
    expect(optionOf(args, "StrictHostKeyChecking")).toBe("yes");
    expect(readFileSync(known, "utf8")).toBe(`${optionOf(args, "HostKeyAlias")} ${hostKey}\n`);
    expect([readFileSync(key, "utf8"), statSync(key).mode & 0o777]).toEqual([privateKey, 0o600]);
    expect(args.slice(args.indexOf("--") + 1)).toEqual(["10.0.0.4", "uptime", "-p"]);
    expect(args.join(" ")).not.toContain("canary");
    return 3;
  });
  const { code, out, err } = await run("instance", "ssh", "web", "--", "uptime", "-p");
  expect([code, out, err]).toEqual([3, "", ""]);
  expect(files.map((file) => existsSync(file))).toEqual([false, false]);
});

test("M007 without a recorded host key, ssh is not started unless the user accepts the key, which is then recorded", async () => {
  let started = 0;
  const { run, patches } = createWorld({ privateKeys: [] }, (args) => {
    started += 1;
    expect(optionOf(args, "StrictHostKeyChecking")).toBe("accept-new");
    expect(args).not.toContain("-i");
    writeFileSync(optionOf(args, "UserKnownHostsFile"), `${optionOf(args, "HostKeyAlias")} ${hostKey}\n`);
    return 0;
  });
  const refused = await run("instance", "ssh", "web");
  expect([refused.code, started, patches]).toEqual([4, 0, []]);
  expect(refused.err).toContain("cli.no_host_key");
  expect((await run("instance", "ssh", "web", "--accept-new")).code).toBe(0);
  expect(patches).toEqual([{ spec: { hostKeys: [hostKey] } }]);
});

test("M007 a recorded host key is never replaced by one that ssh accepts", async () => {
  const { run, patches } = createWorld({ hostKeys: [hostKey] }, (args) => {
    expect(optionOf(args, "StrictHostKeyChecking")).toBe("yes");
    return 255;
  });
  expect((await run("instance", "ssh", "web", "--accept-new")).code).toBe(255);
  expect(patches).toEqual([]);
});

test("M003 a login to a simulated instance is refused at once, unless another address is given", async () => {
  const addresses: unknown[] = [];
  const { run } = createWorld({ hostKeys: [hostKey], simulated: true }, (args) => {
    addresses.push(args.at(-1));
    expect(Number(optionOf(args, "ConnectTimeout"))).toBeGreaterThan(0);
    return 0;
  });
  const refused = await run("instance", "ssh", "web");
  expect([refused.code, addresses]).toEqual([4, []]);
  expect(refused.err).toContain("cli.simulated_instance");
  expect((await run("instance", "ssh", "web", "--address", "127.0.0.1")).code).toBe(0);
  expect(addresses).toEqual(["127.0.0.1"]);
});

test("M003 an unknown user and a missing program are reported", async () => {
  const unknown = createWorld({ user: "", hostKeys: [hostKey] }, () => 0);
  expect((await unknown.run("instance", "ssh", "web")).err).toContain("--user");
  const missing = createWorld({ hostKeys: [hostKey] }, () => undefined);
  expect((await missing.run("instance", "ssh", "web")).err).toContain("cli.no_ssh");
});

test("M003 instances are created with short flags, stopped and started", async () => {
  const { run, server } = createFakeWorld();
  expect(server).toBeDefined();
  const made = await run(
    "instance",
    "create",
    "--name",
    "web",
    "--vpc",
    "main",
    "--type",
    "t3.micro",
    "--ssh-key",
    "a",
    "--ssh-key",
    "b",
  );
  expect([made.code, made.err]).toEqual([0, expect.any(String)]);
  const read = async () => JSON.parse((await run("instance", "get", "web", "-o", "json")).out) as { spec: object };
  expect((await read()).spec).toEqual({ network: "main", machineType: "t3.micro", sshKeys: ["a", "b"] });
  expect((await run("instance", "stop", "web")).code).toBe(0);
  expect((await read()).spec).toMatchObject({ running: false });
  expect((await run("instance", "start", "web")).code).toBe(0);
  expect((await read()).spec).toMatchObject({ running: true });
  const both = await run("instance", "create", "x", "--network", "main", "--type", "a", "--machine-type", "b");
  expect([both.code, both.err]).toEqual([2, expect.stringContaining("cli.usage")]);
});
