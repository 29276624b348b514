import { processEnvironment } from "@cloudwright/platform";
import { createRandom, printSeed } from "@cloudwright/platform/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runCloud, type CommandOutcome } from "./cloud-command.ts";
import { createHome, removeHome } from "./home-directory.ts";
import { killAgentDuring } from "./kill-host-agent.ts";
import { startServer, type RunningServer } from "./server.ts";
import { waitUntil } from "./wait-until.ts";

/** Folder with the root file system of the image. `npm run test:hosts` builds it. */
const image = processEnvironment["CLOUDWRIGHT_HOST_IMAGE"] ?? "";

const killedRounds = 2;
/** About the time that an agent needs for a claim or a release. */
const workMs = 2500;
const machines = ["m1", "m2"] as const;

interface Host {
  readonly name: string;
  readonly state: string;
  readonly message: string;
  readonly hostKeys: readonly string[];
  readonly [field: string]: unknown;
}

// The machines of the inventory are instances of the local cloud, so they have real SSH servers. The inventory knows only their addresses.
describe.skipIf(image === "")("M198 machines that already exist", () => {
  const environment = {
    CLOUDWRIGHT_AGENT_HOSTS: "shelf",
    CLOUDWRIGHT_AGENT_HOST_IMAGES: `debian-12=${image}`,
    // A check of a machine that is gone ends after the last attempt.
    CLOUDWRIGHT_TASK_ATTEMPTS: "3",
  };
  const random = createRandom(printSeed("kills while machines are claimed and released"));
  let home: string;
  let server: RunningServer;
  const addresses = new Map<string, string>();

  beforeAll(async () => {
    home = await createHome();
    server = await startServer({ home, environment });
    await waitUntil("the agent joined", async () => (await cloud("agent", "get", "embedded", "-p", "system")).code === 0);
    await must("agent", "update", "embedded", "-p", "system", "--identity-projects", "default");
    await must("account", "create", "rack", "--cloud", "local", "--local-agent-label", "shelf", "--wait");
    await must("sshkey", "create", "ops");
    await must("sshkey", "create", "ann");
    await must("network", "create", "lan", "--account", "rack", "--cidr", "10.97.0.0/24", "--wait");
    await Promise.all(
      machines.map((name) =>
        must("instance", "create", name, "--network", "lan", "--ssh-key", "ops", "--user", "admin", "--wait"),
      ),
    );
    for (const name of machines) addresses.set(name, (await statusOf("instance", name))["privateAddress"] as string);
    // An unusual file: without a final line break, and with a byte that is not UTF-8.
    await inside("m1", "sh", "-c", `'printf "# \\\\377 by hand" >> .ssh/authorized_keys; chmod 640 .ssh/authorized_keys'`);
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
  const hostOf = async (name: string): Promise<Host> => {
    const found = ((await statusOf("inventory", "shelf"))["hosts"] as Host[]).find((host) => host.name === name);
    if (found === undefined) throw new Error(`no host ${name} in the status`);
    return found;
  };
  /** Returns everything that a claim could have changed: content, mode and owner of the file, and what else is in its folder. */
  const readKeyFiles = (name: string): Promise<string> =>
    inside(name, "sh", "-c", "'sha256sum .ssh/authorized_keys; stat -c \"%a %U %G %n\" .ssh .ssh/*; ls -A .ssh'");
  const claim = (name: string, ...args: string[]): string[] => [
    "instance",
    "create",
    name,
    "--inventory",
    "shelf",
    "--ssh-key",
    "ann",
    ...args,
    "--wait",
  ];

  test("host keys are shown and not trusted until a user confirms them; then facts are discovered", async () => {
    const flags = machines.flatMap((name) => [
      "--host",
      `name=${name},address=${addresses.get(name) ?? ""},user=admin,label.rack=${name === "m1" ? "a" : "b"}`,
    ]);
    await must("inventory", "create", "shelf", "--account", "rack", "--ssh-key", "ops", ...flags, "--wait");
    const found = await hostOf("m1");
    expect(found).toMatchObject({ state: "UNTRUSTED" });
    expect(found.hostKeys).toEqual((await statusOf("instance", "m1"))["hostKeys"]);
    expect((await cloud(...claim("early"))).err).toContain("UNTRUSTED");
    for (const name of machines) await must("inventory", "trust", "shelf", name, "--yes", "--wait");
    const ready = await hostOf("m1");
    expect(ready).toMatchObject({
      state: "READY",
      os: expect.stringContaining("Debian") as string,
      architecture: await inside("m1", "uname", "-m"),
    });
    expect(ready["cores"]).toBe(Number(await inside("m1", "nproc")));
    expect(ready["memoryMib"]).toBeGreaterThan(0);
    expect(await must("inventory", "check", "shelf", "--wait")).toContain("READY");
  });

  test("a claimed machine is reached with the instance's own key, and a release leaves every byte as before", async () => {
    const before = await readKeyFiles("m1");
    await must(...claim("worker", "--host-labels", "rack=a"));
    const status = await statusOf("instance", "worker");
    expect(status).toMatchObject({
      phase: "RUNNING",
      privateAddress: addresses.get("m1"),
      user: "admin",
      machineStatus: "running",
      os: expect.stringContaining("Debian") as string,
    });
    expect(await inside("worker", "hostname")).toBe("m1");
    expect(await readKeyFiles("m1")).not.toBe(before);
    expect(await must("instance", "logs", "worker")).not.toBe("");
    expect((await cloud("instance", "stop", "worker")).code).toBe(2);
    expect((await cloud("inventory", "update", "shelf", "--host", `name=m2,address=${addresses.get("m2") ?? ""}`)).err).toContain(
      "worker",
    );
    expect((await cloud("inventory", "delete", "shelf", "--yes")).code).not.toBe(0);
    await must("instance", "delete", "worker", "--yes", "--wait");
    expect(await readKeyFiles("m1")).toBe(before);
    expect(await inside("m1", "hostname")).toBe("m1");
  });

  test("of concurrent claims of one host, one succeeds; others without a preference get the other host or a reason", async () => {
    const one = await Promise.all(
      ["a1", "a2", "a3"].map((name) =>
        cloud("instance", "create", name, "--inventory", "shelf", "--host", "m1", "--ssh-key", "ann"),
      ),
    );
    expect(one.filter(({ code }) => code === 0)).toHaveLength(1);
    const rest = await Promise.all(
      ["b1", "b2"].map((name) => cloud("instance", "create", name, "--inventory", "shelf", "--ssh-key", "ann")),
    );
    expect(rest.filter(({ code }) => code === 0)).toHaveLength(1);
    expect(rest.find(({ code }) => code !== 0)?.err).toContain("claimed");
    const claimed = (await statusOf("inventory", "shelf"))["claims"] as { host: string; instance: string }[];
    expect(claimed.map(({ host }) => host)).toEqual(["m1", "m2"]);
    for (const { instance } of claimed) await must("instance", "delete", instance, "--yes", "--wait");
    expect((await statusOf("inventory", "shelf"))["claims"] ?? []).toEqual([]);
  });

  test("X031 claims and releases survive a kill of the agent", async () => {
    const before = await readKeyFiles("m2");
    let kills = 0;
    for (let round = 0; round < killedRounds; round += 1) {
      const made = await killAgentDuring(server.pid, random.below(workMs), () => must(...claim("killed", "--host", "m2")));
      expect(await inside("killed", "hostname")).toBe("m2");
      const gone = await killAgentDuring(server.pid, random.below(workMs), () =>
        must("instance", "delete", "killed", "--yes", "--wait"),
      );
      expect(await readKeyFiles("m2")).toBe(before);
      kills += Number(made) + Number(gone);
    }
    expect(kills).toBeGreaterThan(0);
  });

  test("M007 a changed host key is refused with a clear message, and a machine that is gone keeps its instance", async () => {
    await must(...claim("kept", "--host", "m2"));
    await inside(
      "m2",
      "sh",
      "-c",
      `'sudo cp -a /etc/ssh /etc/ssh.old; sudo rm /etc/ssh/ssh_host_*; sudo ssh-keygen -q -A; sudo systemctl restart ssh'`,
    );
    await cloud("inventory", "check", "shelf", "--wait");
    expect(await hostOf("m2")).toMatchObject({ state: "KEY_CHANGED" });
    expect(await cloud("instance", "ssh", "kept", "--", "true")).toMatchObject({ code: 255 });
    expect(
      (await cloud("instance", "create", "other", "--inventory", "shelf", "--host-labels", "rack=b", "--ssh-key", "ann")).code,
    ).not.toBe(0);
    await must("instance", "stop", "m2", "--wait");
    await cloud("inventory", "check", "shelf", "--wait");
    expect(await hostOf("m2")).toMatchObject({ state: "UNREACHABLE" });
    await cloud("drift", "check", "instance/kept", "--wait");
    const { phase, conditions } = (await statusOf("instance", "kept")) as {
      phase: string;
      conditions: { type: string; reason: string; message: string }[];
    };
    expect(phase).toBe("RUNNING");
    expect(conditions.find(({ type }) => type === "Drifted")).toMatchObject({
      reason: "CheckFailed",
      message: expect.stringContaining(addresses.get("m2") ?? "?") as string,
    });
    const { code } = await cloud("instance", "delete", "kept", "--yes", "--wait");
    expect(code).not.toBe(0);
    expect((await statusOf("inventory", "shelf"))["claims"]).toEqual([{ host: "m2", instance: "kept" }]);
    await must("instance", "delete", "kept", "--yes", "--force", "--wait");
    expect((await statusOf("inventory", "shelf"))["claims"] ?? []).toEqual([]);
    await must("inventory", "delete", "shelf", "--yes", "--wait");
  });
});
