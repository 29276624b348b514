import { processEnvironment, Secret } from "@cloudwright/platform";
import { generateKeyPair } from "@cloudwright/platform/openssh-key";
import { startSshServer, type SshServer } from "@cloudwright/ssh/testing";
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { replaceKey, type KeyReplacement } from "./replace-key.ts";

const [former, next, foreign] = [generateKeyPair(), generateKeyPair(), generateKeyPair()];
const { signal } = new AbortController();
let home: string;
let server: SshServer;
/** Makes the server read the file of keys again, as it does after each command. */
let load: () => void;
/** Number of commands after which the machine vanishes. */
let commandsLeft: number;
/** Turns the file of keys into those that the machine accepts. */
let accept: (lines: readonly string[]) => readonly string[];

const keysFile = (): string => join(home, ".ssh", "authorized_keys");
const readKeys = (): string[] => readFileSync(keysFile(), "utf8").split("\n").slice(0, -1);

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), "cw-keys-"));
  mkdirSync(join(home, ".ssh"));
  writeFileSync(keysFile(), `# mine\nfrom="*" ${former.publicKey} ops\n${foreign.publicKey}\n`);
  commandsLeft = Infinity;
  accept = (lines) => lines;
  const authorizedKeys: string[] = [];
  load = (): void => void authorizedKeys.splice(0, Infinity, ...accept(readKeys()).map(findKey));
  load();
  server = await startSshServer({
    authorizedKeys,
    run(command, channel, connection) {
      if (commandsLeft <= 0) return void connection.end();
      commandsLeft -= 1;
      const child = spawn("sh", ["-c", command], { env: { PATH: processEnvironment["PATH"], HOME: home } });
      channel.pipe(child.stdin);
      child.stdout.on("data", (bytes) => channel.write(bytes));
      child.stderr.on("data", (bytes) => channel.stderr.write(bytes));
      child.on("close", (code) => {
        load();
        channel.exit(code ?? 1);
        channel.end();
      });
    },
  });
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(home, { recursive: true });
});

/** Removes options and comments, which the server of the test does not know. */
function findKey(line: string): string {
  return /ssh-\S+ [A-Za-z0-9+/=]+/.exec(line)?.[0] ?? "";
}

const replace = (part: Partial<KeyReplacement> = {}): Promise<void> =>
  replaceKey(
    {
      target: { address: "127.0.0.1", port: server.port, user: "admin", hostKeys: server.hostKeys },
      publicKey: next.publicKey,
      privateKey: new Secret(next.privateKey),
      formerPublicKey: former.publicKey,
      formerPrivateKey: new Secret(former.privateKey),
      remove: false,
      ...part,
    },
    signal,
  );

test("M007 the new key is added beside the former one, and the former one is removed only on request", async () => {
  await replace();
  await replace();
  expect(readKeys().map(findKey)).toEqual(["", former.publicKey, foreign.publicKey, next.publicKey]);
  await replace({ remove: true });
  expect(readKeys()).toEqual(["# mine", foreign.publicKey, next.publicKey]);
  expect(statSync(keysFile()).mode & 0o777).toBe(0o600);
  await replace({ remove: true });
  expect(readKeys()).toEqual(["# mine", foreign.publicKey, next.publicKey]);
});

test("M007 the former key stays if the machine does not accept the new one", async () => {
  accept = (lines) => lines.filter((line) => !line.includes(next.publicKey));
  await expect(replace({ remove: true })).rejects.toMatchObject({ code: "ssh.key_refused" });
  expect(readKeys().map(findKey)).toContain(former.publicKey);
});

test("M007 a removal after which the machine accepts nobody is undone", async () => {
  accept = (lines) => (lines.some((line) => line.includes(former.publicKey)) ? lines : []);
  await expect(replace({ remove: true })).rejects.toMatchObject({ code: "ssh.key_refused" });
  expect(readKeys().map(findKey)).toEqual(["", former.publicKey, foreign.publicKey, next.publicKey]);
});

test("M007 a replacement that is interrupted after any command can be repeated, and one of the keys always works", async () => {
  for (let commands = 0; commands < 8; commands += 1) {
    writeFileSync(keysFile(), `${former.publicKey}\n`);
    load();
    commandsLeft = commands;
    await replace({ remove: true }).catch(() => undefined);
    const keys = readKeys().map(findKey);
    expect(keys.includes(former.publicKey) || keys.includes(next.publicKey)).toBe(true);
    commandsLeft = Infinity;
    await replace({ remove: true });
    expect(readKeys()).toEqual([next.publicKey]);
  }
});

test("M007 a machine with another host key gets no key", async () => {
  const target = { address: "127.0.0.1", port: server.port, user: "admin", hostKeys: [foreign.publicKey] };
  await expect(replace({ target })).rejects.toMatchObject({ code: "ssh.host_key_changed" });
  expect(readKeys().map(findKey)).not.toContain(next.publicKey);
});
