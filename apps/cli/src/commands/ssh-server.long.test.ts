import { requireTool } from "@cloudwright/platform";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createInstanceWorld, type FakeAccess } from "../testing/instance-world.ts";

/** sshd must be started with its absolute path. When it runs as root, it also needs its own user and folder. */
const paths = ["/usr/sbin/sshd", "/usr/local/sbin/sshd"].filter((path) => existsSync(path));
const ssh = requireTool("ssh");
const isPrepared = userInfo().uid !== 0 || (existsSync("/run/sshd") && /^sshd:/m.test(readFileSync("/etc/passwd", "utf8")));
const reason = !ssh.found
  ? ssh.reason
  : paths.length === 0
    ? "sshd is not installed"
    : isPrepared
      ? undefined
      : "sshd is not set up on this machine: the user sshd or the folder /run/sshd is missing";
if (reason !== undefined) console.log(`skipped: ${reason}`);

describe.skipIf(reason !== undefined)("cloud instance ssh and a real SSH server", () => {
  const folder = mkdtempSync(join(tmpdir(), "cloud-ssh-"));
  const keys: Record<string, { readonly file: string; readonly open: string }> = {};
  const server = createServer((socket) => {
    const child = spawn(paths[0] ?? "", ["-i", "-f", join(folder, "sshd_config")], { stdio: ["pipe", "pipe", "ignore"] });
    socket.pipe(child.stdin).on("error", () => undefined);
    child.stdout.pipe(socket).on("error", () => undefined);
    socket.on("error", () => child.kill());
  });
  let port = "";

  beforeAll(async () => {
    for (const name of ["host", "user", "stranger"]) {
      const path = join(folder, name);
      execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", path]);
      const [type = "", key = ""] = readFileSync(`${path}.pub`, "utf8").split(" ");
      keys[name] = { file: readFileSync(path, "utf8"), open: `${type} ${key}` };
    }
    const lines = [`HostKey ${join(folder, "host")}`, `AuthorizedKeysFile ${join(folder, "user.pub")}`];
    const more = [
      "StrictModes no",
      "UsePAM no",
      "PasswordAuthentication no",
      "PermitRootLogin prohibit-password",
      "PidFile none",
    ];
    writeFileSync(join(folder, "sshd_config"), `${[...lines, ...more].join("\n")}\n`);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    port = String((server.address() as AddressInfo).port);
  });
  afterAll(async () => {
    server.close();
    rmSync(folder, { recursive: true });
  });

  /** Runs `cloud instance ssh web` with the real ssh, and returns the output of both programs. */
  async function logIn(access: FakeAccess, ...flags: string[]) {
    let printed = "";
    const world = createInstanceWorld(access, async (args) => {
      const child = spawn("ssh", ["-F", "none", "-o", "BatchMode=yes", ...args], { stdio: ["ignore", "pipe", "pipe"] });
      for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (printed += chunk.toString()));
      const [code] = (await once(child, "close")) as [number];
      return code;
    });
    const where = ["--address", "127.0.0.1", "--port", port, "--user", userInfo().username];
    const { code, err } = await world.run("instance", "ssh", "web", ...where, ...flags, "--", "echo", "hello", "&&", "exit", "7");
    return { code, err, printed, patches: world.patches };
  }

  test("M007 a command runs with the stored key on a host whose key is recorded, and its exit code is passed on", async () => {
    const { code, printed } = await logIn({ hostKeys: [keys["host"]?.open ?? ""], privateKeys: [keys["user"]?.file ?? ""] });
    expect([code, printed]).toEqual([7, "hello\n"]);
  });

  test("M007 a host whose key differs from the recorded one is rejected, even with --accept-new", async () => {
    const access = { hostKeys: [keys["stranger"]?.open ?? ""], privateKeys: [keys["user"]?.file ?? ""] };
    for (const flags of [[], ["--accept-new"]]) {
      const { code, printed, patches } = await logIn(access, ...flags);
      expect([code, patches]).toEqual([255, []]);
      expect(printed).toContain("REMOTE HOST IDENTIFICATION HAS CHANGED");
      expect(printed).not.toContain("hello");
    }
  });

  test("M007 a host without a recorded key is accepted once on request, and its key is recorded", async () => {
    const { code, patches } = await logIn({ privateKeys: [keys["user"]?.file ?? ""] }, "--accept-new");
    expect(code).toBe(7);
    expect(patches).toEqual([{ spec: { hostKeys: [keys["host"]?.open] } }]);
  });

  test("M007 a key that the host does not know is rejected", async () => {
    const { code, printed } = await logIn({ hostKeys: [keys["host"]?.open ?? ""], privateKeys: [keys["stranger"]?.file ?? ""] });
    expect([code, printed.includes("hello")]).toEqual([255, false]);
    expect(printed).toContain("Permission denied");
  });
});
