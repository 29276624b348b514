import { Secret } from "@cloudwright/platform";
import { generateKeyPair } from "@cloudwright/platform/openssh-key";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connect, type SshConnection, type SshTarget } from "./connect.ts";
import { sshFaults } from "./faults.ts";
import { runCommand } from "./run-command.ts";
import { scanHostKeys } from "./scan-host-keys.ts";
import { sshd, startOpenSsh, type OpenSsh } from "./testing/index.ts";
import { uploadFile } from "./upload-file.ts";

if (!sshd.found) console.log(`skipped: ${sshd.reason}`);

describe.skipIf(!sshd.found)("with OpenSSH's server", () => {
  const user = generateKeyPair();
  const withCode = (fault: { code: string }): unknown => expect.objectContaining({ code: fault.code });
  let server: OpenSsh;
  let target: SshTarget;
  let connection: SshConnection;

  beforeAll(async () => {
    server = await startOpenSsh();
    server.authorize(user.publicKey);
    const { port, hostKeys } = server;
    target = { address: "127.0.0.1", port, user: server.user, privateKeys: [new Secret(user.privateKey)], hostKeys };
    connection = await connect(target);
  });
  afterAll(async () => {
    connection.end();
    await server[Symbol.asyncDispose]();
  });

  test("M185 a command gets its arguments and input, and returns its output and exit code", async () => {
    const words = ["a b", "$(id)", "'", '"', "", "é\n"];
    const script = 'printf "%s\\0" "$@"; cat; echo problem >&2; exit 7';
    const result = await runCommand(connection, ["sh", "-c", script, "sh", ...words], { stdin: "the input" });
    expect(result).toEqual({
      exitCode: 7,
      stdout: `${words.map((word) => `${word}\0`).join("")}the input`,
      stderr: "problem\n",
      isTruncated: false,
    });
  });

  test("M185 a command that a signal ends reports the signal", async () => {
    expect(await runCommand(connection, ["sh", "-c", "kill -TERM $$"])).toMatchObject({ exitCode: 143, signal: "SIGTERM" });
  });

  test("M185 a program that does not exist is a result of the machine's shell", async () => {
    expect(await runCommand(connection, ["no-such-program"])).toMatchObject({ exitCode: 127 });
  });

  test("M185 a command that is cancelled ends on the machine at its next output", async () => {
    const marker = join(server.folder, "pid");
    const script = 'echo $$ > "$1"; while :; do echo .; sleep 0.05; done';
    const command = ["sh", "-c", script, "sh", marker];
    const stop = new AbortController();
    const running = runCommand(connection, command, { signal: stop.signal });
    await expect.poll(() => existsSync(marker) && readFileSync(marker, "utf8").endsWith("\n")).toBe(true);
    stop.abort();
    await expect(running).rejects.toThrow(withCode(sshFaults.cancelled));
    const pid = Number(readFileSync(marker, "utf8"));
    await expect.poll(() => isAlive(pid)).toBe(false);
  });

  test("M185 a flood of output ends the command and leaves the connection usable", async () => {
    const flood = runCommand(connection, ["cat", "/dev/zero"], { maxOutputBytes: 10, maxReceivedBytes: 10_000_000 });
    await expect(flood).rejects.toThrow(withCode(sshFaults.too_much_output));
    expect(await runCommand(connection, ["true"])).toMatchObject({ exitCode: 0 });
  });

  test("M184 a file is replaced as a whole, with its mode, and without a trace of an interrupted upload", async () => {
    const folder = join(server.folder, "it's a folder");
    mkdirSync(folder);
    const path = join(folder, "a file");
    const content = Buffer.from(Array.from({ length: 100_000 }, (_, index) => index % 256));
    await uploadFile(connection, { path, content: "old" });
    await uploadFile(connection, { path, content, mode: 0o640 });
    expect(readFileSync(path).equals(content)).toBe(true);
    expect(statSync(path).mode & 0o777).toBe(0o640);
    const stop = new AbortController();
    const interrupted = uploadFile(connection, { path, content: Buffer.alloc(30_000_000), signal: stop.signal });
    stop.abort();
    await expect(interrupted).rejects.toThrow(withCode(sshFaults.cancelled));
    expect(readFileSync(path).equals(content)).toBe(true);
    await expect(uploadFile(connection, { path: folder, content: "x" })).rejects.toThrow(withCode(sshFaults.upload_failed));
    await expect(uploadFile(connection, { path: "relative", content: "x" })).rejects.toThrow(withCode(sshFaults.bad_argument));
    expect(readdirSync(folder).filter((name) => !name.startsWith(".cloudwright"))).toEqual(["a file"]);
  });

  test("M007 a wrong private key, a wrong host key and no host key are each refused", async () => {
    const wrong = generateKeyPair();
    await expect(connect({ ...target, privateKeys: [new Secret(wrong.privateKey)] })).rejects.toThrow(
      withCode(sshFaults.key_refused),
    );
    await expect(connect({ ...target, hostKeys: [wrong.publicKey] })).rejects.toThrow(withCode(sshFaults.host_key_changed));
    await expect(connect({ ...target, hostKeys: [] })).rejects.toThrow(withCode(sshFaults.no_host_key));
  });

  test("M007 the scan returns the host key of the server", async () => {
    expect(await scanHostKeys("127.0.0.1", { port: server.port })).toEqual(server.hostKeys);
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
