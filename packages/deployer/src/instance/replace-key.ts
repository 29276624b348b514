import { Fault } from "@cloudwright/platform";
import { connect, runCommand, uploadFile, type SshConnection, type SshTarget } from "@cloudwright/ssh";
import { deployerFaults } from "../faults.ts";

/** The two key pairs of a replacement, and the machine on which it happens. */
export interface KeyReplacement {
  readonly target: Omit<SshTarget, "privateKeys">;
  readonly publicKey: string;
  readonly privateKey: SshTarget["privateKeys"][number];
  readonly formerPublicKey: string;
  readonly formerPrivateKey: SshTarget["privateKeys"][number];
  /** Whether to remove the former key in the end. */
  readonly remove: boolean;
}

/**
 * Adds a new key to a user's authorized keys, proves by a login that it works, and then removes the former key if requested. It never removes
 * a key before the login. Safe to repeat at any point.
 */
export async function replaceKey(replacement: KeyReplacement, signal: AbortSignal): Promise<void> {
  const { target, publicKey, privateKey, formerPublicKey, formerPrivateKey, remove } = replacement;
  const withNew = { ...target, privateKeys: [privateKey] };
  await withConnection({ ...target, privateKeys: [privateKey, formerPrivateKey] }, signal, async (connection) => {
    await editKeys(connection, signal, (lines) => (lines.some((line) => holds(line, publicKey)) ? lines : [...lines, publicKey]));
    await requireLogin(withNew, signal);
    if (!remove) return;
    const before = await editKeys(connection, signal, (lines) => lines.filter((line) => !holds(line, formerPublicKey)));
    // The connection is still open, so a removal that locks the platform out can be undone.
    await requireLogin(withNew, signal).catch(async (error: unknown) => {
      await editKeys(connection, signal, () => before);
      throw error;
    });
  });
}

async function withConnection(
  target: SshTarget,
  signal: AbortSignal,
  run: (connection: SshConnection) => Promise<void>,
): Promise<void> {
  const connection = await connect(target, { signal });
  try {
    await run(connection);
  } finally {
    connection.end();
  }
}

/** Opens a connection of its own, because an existing one shows nothing about the keys that the machine accepts now. */
async function requireLogin(target: SshTarget, signal: AbortSignal): Promise<void> {
  await withConnection(target, signal, async (connection) => {
    const { exitCode } = await runCommand(connection, ["true"], { signal });
    if (exitCode === 0) return;
    throw new Fault(
      deployerFaults.key_not_replaced,
      `the login with the new key on ${connection.where} ended with code ${exitCode}`,
    );
  });
}

const read =
  'mkdir -p -m 700 -- "$HOME/.ssh" && printf "%s\\n" "$HOME" && { cat -- "$HOME/.ssh/authorized_keys" || [ ! -e "$HOME/.ssh/authorized_keys" ]; }';

/** Changes the lines of the user's authorized keys, and returns them as they were before. */
async function editKeys(
  connection: SshConnection,
  signal: AbortSignal,
  change: (lines: readonly string[]) => readonly string[],
): Promise<readonly string[]> {
  const { exitCode, stdout, stderr, isTruncated } = await runCommand(connection, ["sh", "-c", read], { signal });
  if (exitCode !== 0 || isTruncated) {
    const reason = isTruncated ? "the file is too large" : stderr.trim().replaceAll("\n", "; ");
    throw new Fault(deployerFaults.key_not_replaced, `the authorized keys on ${connection.where} cannot be read: ${reason}`);
  }
  const [home = "", ...text] = stdout.split("\n");
  const lines = text.at(-1) === "" ? text.slice(0, -1) : text;
  const next = change(lines);
  if (next.join("\n") === lines.join("\n")) return lines;
  await uploadFile(connection, {
    path: `${home}/.ssh/authorized_keys`,
    content: next.map((line) => `${line}\n`).join(""),
    signal,
  });
  return lines;
}

/** Returns whether a line of authorized keys contains a key, with any options and comment. */
function holds(line: string, publicKey: string): boolean {
  const [, base64 = ""] = publicKey.trim().split(/\s+/);
  return base64 !== "" && line.split(/\s+/).includes(base64);
}
