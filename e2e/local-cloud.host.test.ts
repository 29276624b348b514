import { processEnvironment } from "@cloudwright/platform";
import { createRandom, printSeed } from "@cloudwright/platform/testing";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runCloud, type CommandOutcome } from "./cloud-command.ts";
import { createHome, removeHome } from "./home-directory.ts";
import { listHostObjects } from "./host-objects.ts";
import { killAgentDuring } from "./kill-host-agent.ts";
import { startServer, type RunningServer } from "./server.ts";
import { waitUntil } from "./wait-until.ts";

/** Folder with the root file system of the image. `npm run test:hosts` builds it. */
const image = processEnvironment["CLOUDWRIGHT_HOST_IMAGE"] ?? "";
const killedRounds = 3;
/** About the time that an agent needs to create or delete an instance. */
const workMs = 4000;

interface KeyStatus {
  readonly rotation?: { readonly instances?: readonly { readonly name: string; readonly accepts: string }[] };
}

describe.skipIf(image === "")("M206 a machine of one's own as a cloud", () => {
  const random = createRandom(printSeed("kills of a host's agent"));
  const environment = { CLOUDWRIGHT_AGENT_HOSTS: "e2e", CLOUDWRIGHT_AGENT_HOST_IMAGES: `debian-12=${image}` };
  let home: string;
  let server: RunningServer;

  beforeAll(async () => {
    home = await createHome();
    server = await startServer({ home, environment });
  });
  afterAll(async () => {
    await server?.stop();
    const { err } = await runCloud({ home }, "local", "clean", "--yes");
    const left = listHostObjects(home);
    if (err !== "" || left.length > 0) throw new Error(`left on the machine: ${left.join("; ")} ${err}`);
    await removeHome(home);
  });

  const cloud = (...args: string[]): Promise<CommandOutcome> => runCloud({ home }, ...args);
  async function must(...args: string[]): Promise<string> {
    const { code, out, err } = await cloud(...args);
    if (code === 0) return out.trim();
    const log = server.process.stdout().slice(-4000);
    throw new Error(`cloud ${args.join(" ")} exited with ${code}: ${err}${out}\n${log}`);
  }
  const inside = (name: string, ...command: string[]): Promise<string> => must("instance", "ssh", name, "--", ...command);
  /** Waits until SSH works, because an instance that was restarted answers a moment later. */
  async function reach(name: string): Promise<void> {
    let last = "";
    await waitUntil(`${name} answers`, async () => {
      const { code, out, err } = await cloud("instance", "ssh", name, "--", "hostname");
      last = `${out}${err}`;
      return code === 0;
    }).catch((error: unknown) => {
      throw new Error(last, { cause: error });
    });
  }
  const statusOf = async (name: string): Promise<Readonly<Record<string, unknown>>> =>
    (JSON.parse(await must("instance", "get", name, "-o", "json")) as { status: Record<string, unknown> }).status;

  test("an account is refused until an operator grants the machine to its project, and is then bound to the machine", async () => {
    expect(await cloud("account", "create", "fake", "--cloud", "local", "--simulated")).toMatchObject({ code: 2 });
    await waitUntil("the agent has joined", async () => (await cloud("agent", "get", "embedded", "-p", "system")).code === 0);
    await must("agent", "update", "embedded", "-p", "system", "--identity-projects", "default");
    await must("account", "create", "rack", "--cloud", "local", "--local-agent-label", "e2e", "--wait");
    expect(await must("account", "get", "rack", "-o", "yaml")).toMatch(/accountId: machine-[0-9a-f]{16}/);
    await waitUntil("the agent shows its label", async () =>
      (await must("agent", "get", "embedded", "-p", "system", "-o", "json")).includes('"machines": "e2e"'),
    );
  });

  test("networks and instances that cannot be built are refused with a reason", async () => {
    const refused = async (...args: string[]): Promise<string> => {
      const { code, err } = await cloud(...args);
      expect([args, code]).toEqual([args, 2]);
      return err;
    };
    await must("sshkey", "create", "ops");
    expect(await refused("network", "create", "no", "--account", "rack", "--region", "eu-west-1")).toContain("spec.region");
    expect(await refused("network", "create", "no", "--account", "rack", "--nat", "per-zone")).toContain("spec.nat");
    await must("network", "create", "net", "--account", "rack", "--cidr", "10.95.0.0/24", "--wait");
    expect(await refused("instance", "create", "no", "--network", "net", "--machine-type", "t3.micro")).toContain("2x2");
    expect(await refused("instance", "create", "no", "--network", "net", "--zone", "a")).toContain("spec.zone");
    expect(await refused("cluster", "create", "no", "--network", "net")).toContain("spec.network");
    const findings = await cloud("network", "create", "twin", "--account", "rack", "--cidr", "10.95.0.0/16", "--preflight");
    expect([findings.code, findings.out]).toEqual([10, expect.stringContaining("overlaps 10.95.0.0/24")]);
    const large = await cloud("instance", "create", "huge", "--network", "net", "--machine-type", "1x4000", "--preflight");
    expect([large.code, large.out]).toEqual([10, expect.stringContaining("MiB of memory")]);
  });

  test("M143 M007 instances can be reached with the host keys that were generated for them, and with no others", async () => {
    const create = (name: string) => must("instance", "create", name, "--network", "net", "--ssh-key", "ops", "--wait");
    await Promise.all([create("web"), create("db")]);
    const { metadata: made } = JSON.parse(await must("instance", "get", "web", "-o", "json")) as {
      metadata: { operation: string };
    };
    expect(await must("operation", "get", made.operation, "--timeline")).toContain("boot: ");
    expect(await Promise.all([inside("web", "hostname"), inside("db", "hostname")])).toEqual(["web", "db"]);
    const own = await inside("web", "sudo", "cut", "-d", "' '", "-f", "1-2", "/etc/ssh/ssh_host_ed25519_key.pub");
    expect(await statusOf("web")).toMatchObject({ hostKeys: [own], machineStatus: "running", user: "admin" });
    const [other] = (await statusOf("db"))["hostKeys"] as string[];
    const { metadata } = JSON.parse(await must("instance", "get", "web", "-o", "json")) as { metadata: { generation: number } };
    await must("instance", "update", "web", "--host-keys", other ?? "", "--wait");
    expect(metadata.generation).toBeGreaterThan(0);
    expect(await cloud("instance", "ssh", "web", "--", "hostname")).toMatchObject({ code: 255 });
    await must("instance", "update", "web", "--host-keys", "", "--wait").catch(() => undefined);
    await must("instance", "update", "web", "--host-keys", own, "--wait");
    expect(await inside("web", "hostname")).toBe("web");
  });

  test("instances find each other by name, and without a security group they cannot connect to each other", async () => {
    const address = (await statusOf("db"))["privateAddress"] as string;
    expect(await inside("web", "getent", "hosts", "db.net.internal")).toContain(address);
    expect(await cloud("instance", "ssh", "web", "--", "ping", "-c", "1", "-W", "1", address)).not.toMatchObject({ code: 0 });
    expect(await inside("web", "ping", "-c", "1", "-W", "2", "10.95.0.1")).toContain("1 received");
    expect(await must("instance", "logs", "web")).toMatch(/login:|systemd/);
  });

  test("M007 a command gets its input and its exit code is returned", async () => {
    const script = "'read line; echo got $line; exit 7'";
    const outcome = await runCloud({ home, stdin: "hello\n" }, "instance", "ssh", "web", "--", "sh", "-c", script);
    expect(outcome).toMatchObject({ code: 7, out: "got hello\n" });
  });

  test("M007 M184 a key is replaced while an instance is stopped and agents are killed, and no instance locks anyone out", async () => {
    const formerKey = join(home, "former");
    await must("sshkey", "private", "ops", "--output-file", formerKey);
    const loginWith = async (file: string, name: string): Promise<number | null> =>
      (await cloud("instance", "ssh", name, "-i", file, "--", "true")).code;
    await must("instance", "stop", "db", "--wait");
    await must("sshkey", "rotate", "ops");
    const readKey = async () => JSON.parse(await must("sshkey", "get", "ops", "-o", "json")) as { status: KeyStatus };
    await waitUntil("only the stopped instance lacks the new key", async () => {
      const { rotation } = (await readKey()).status;
      return rotation?.instances?.map(({ name, accepts }) => `${name} ${accepts}`).join() === "db former,web both";
    });
    const newKey = join(home, "new");
    await must("sshkey", "private", "ops", "--output-file", newKey);
    expect([await loginWith(formerKey, "web"), await loginWith(newKey, "web")]).toEqual([0, 0]);
    expect(await inside("web", "hostname")).toBe("web");
    await must("instance", "start", "db", "--wait");
    await killAgentDuring(server.pid, random.below(workMs), () => must("sshkey", "rotate", "ops", "--wait"));
    for (const name of ["web", "db"]) {
      expect([name, await loginWith(formerKey, name), await loginWith(newKey, name)]).toEqual([name, 255, 0]);
      expect(await inside(name, "wc", "-l", "<", ".ssh/authorized_keys")).toBe("1");
    }
    // Instances are still as specified, although they were created with another key.
    await must("drift", "check", "instance/web", "--wait");
    expect(await must("drift", "list", "-o", "json")).not.toContain("ssh_keys");
    expect((await readKey()).status.rotation).toBeUndefined();
  });

  test("a stopped instance keeps its disk, and a resized one has its new size", async () => {
    await inside("web", "sudo", "touch", "/var/kept");
    await must("instance", "stop", "web", "--wait");
    expect((await statusOf("web"))["machineStatus"]).toBe("stopped");
    await must("instance", "start", "web", "--wait");
    expect(await inside("web", "ls", "/var/kept")).toBe("/var/kept");
    await must("instance", "update", "web", "--machine-type", "1x0.5", "--wait");
    expect(await statusOf("web")).toMatchObject({ machineType: "1x0.5", machineStatus: "running" });
    expect(await inside("web", "ls", "/var/kept")).toBe("/var/kept");
  });

  test("M042 an instance that somebody switched off is found and started again", async () => {
    await cloud("instance", "ssh", "db", "--", "sudo", "systemctl", "poweroff");
    await waitUntil("the drift is found", async () => {
      await must("drift", "check", "instance/db", "--wait");
      return (await must("drift", "list", "-o", "json")).includes("power_state");
    });
    await must("drift", "correct", "instance/db", "--wait");
    await reach("db");
    expect((await statusOf("db"))["machineStatus"]).toBe("running");
  });

  test("M049 an agent that is killed while it creates, resizes or deletes an instance completes the work when it comes back", async () => {
    for (let round = 0; round < killedRounds; round += 1) {
      const name = `killed-${round}`;
      await killAgentDuring(server.pid, random.below(workMs), () =>
        must("instance", "create", name, "--network", "net", "--ssh-key", "ops", "--wait"),
      );
      await reach(name);
      await killAgentDuring(server.pid, random.below(workMs), () =>
        must("instance", "update", name, "--machine-type", "0.5x0.5", "--wait"),
      );
      expect(await statusOf(name)).toMatchObject({ machineType: "0.5x0.5", machineStatus: "running" });
      await killAgentDuring(server.pid, random.below(workMs), () => must("instance", "delete", name, "--yes", "--wait"));
      expect(await cloud("instance", "get", name)).toMatchObject({ code: 3 });
    }
    await reach("web");
  });

  test("the machine is not cleaned while its agent runs, and nothing is left after everything was deleted", async () => {
    // The log is read by the agent, which has opened the host by then.
    await must("instance", "logs", "web");
    expect(await cloud("local", "clean", "--yes")).toMatchObject({
      code: 4,
      err: expect.stringContaining("hosts.machine_claimed") as string,
    });
    // The list would otherwise be empty because it looks for the wrong names.
    expect(listHostObjects(home).length).toBeGreaterThan(10);
    await Promise.all(["web", "db"].map((name) => must("instance", "delete", name, "--yes", "--wait")));
    await must("network", "delete", "net", "--yes", "--wait");
    await must("account", "delete", "rack", "--yes", "--wait");
    expect(listHostObjects(home)).toEqual([]);
  });
});
