import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { hostsFaults } from "../faults.ts";
import { installClaim, readClaimedKeys, releaseClaim } from "./install-claim.ts";
import type { MachineShell } from "./shell.ts";

const keys = [`ssh-ed25519 ${"A".repeat(68)} ann`];
let home: string;
/** Runs before each command, so that a test can change the file between reading and writing. */
let before: (argv: readonly string[]) => void;

/** Runs the commands on this machine, with a home folder of the test. */
const shell: MachineShell = {
  where: "test",
  async run([program = "", ...args], { input = "" } = {}) {
    before(args);
    const { status, stdout, stderr } = spawnSync(program, args, {
      input,
      encoding: "utf8",
      env: { PATH: "/usr/bin:/bin", HOME: home },
    });
    return { code: status ?? -1, stdout, stderr };
  },
};

const file = (): string => join(home, ".ssh", "authorized_keys");
const writeKeys = (content: Buffer, mode: number): void => {
  mkdirSync(join(home, ".ssh"), { mode: 0o700 });
  writeFileSync(file(), content);
  chmodSync(file(), mode);
};

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "cloudwright-claim-"));
  before = () => undefined;
});
afterEach(() => rmSync(home, { recursive: true }));

describe("M198 a claim on a machine", () => {
  test("restores content, mode and folder when it is released", async () => {
    const content = Buffer.from([0x23, 0x20, 0xff, 0x00, 0x0a, 0x61]);
    writeKeys(content, 0o640);
    await installClaim(shell, { id: "c", keys });
    await installClaim(shell, { id: "c", keys });
    expect(await readClaimedKeys(shell, "c")).toEqual(keys);
    expect(readFileSync(file()).subarray(0, content.length)).toEqual(content);
    await releaseClaim(shell, "c");
    await releaseClaim(shell, "c");
    expect([readFileSync(file()), statSync(file()).mode & 0o777, readdirSync(join(home, ".ssh"))]).toEqual([
      content,
      0o640,
      ["authorized_keys"],
    ]);
    expect(await readClaimedKeys(shell, "c")).toBeUndefined();
  });

  test("creates a missing file that only the user can read, and removes it again", async () => {
    await installClaim(shell, { id: "c", keys });
    expect([statSync(file()).mode & 0o777, statSync(join(home, ".ssh")).mode & 0o777]).toEqual([0o600, 0o700]);
    await releaseClaim(shell, "c");
    expect(existsSync(join(home, ".ssh"))).toBe(false);
  });

  test("follows a symbolic link instead of replacing it", async () => {
    mkdirSync(join(home, ".ssh"));
    writeFileSync(join(home, "real"), "x\n");
    symlinkSync("../real", file());
    await installClaim(shell, { id: "c", keys });
    expect(readFileSync(join(home, "real"), "utf8")).toContain("ann");
    await releaseClaim(shell, "c");
    expect(readFileSync(join(home, "real"), "utf8")).toBe("x\n");
  });

  test("keeps a change that somebody made while it was written", async () => {
    writeKeys(Buffer.from("one\n"), 0o600);
    let count = 0;
    before = (args) => {
      if (args.some((arg) => arg.includes("base64 -d")) && (count += 1) === 1) writeFileSync(file(), "two\n");
    };
    await installClaim(shell, { id: "c", keys });
    await releaseClaim(shell, "c");
    expect(readFileSync(file(), "utf8")).toBe("two\n");
  });

  test("is refused if another installation has claimed the machine", async () => {
    await installClaim(shell, { id: "theirs", keys });
    await expect(installClaim(shell, { id: "ours", keys })).rejects.toMatchObject({ code: hostsFaults.machine_in_use.code });
  });

  test("reports a folder that cannot be written", async () => {
    writeFileSync(join(home, ".ssh"), "not a folder");
    await expect(installClaim(shell, { id: "c", keys })).rejects.toMatchObject({ code: hostsFaults.machine_failed.code });
  });
});
