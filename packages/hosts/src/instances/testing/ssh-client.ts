import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runTool, type ToolResult } from "../../run-tool.ts";

/** An Ed25519 key pair in the OpenSSH format. */
export interface KeyPair {
  readonly privateKey: string;
  readonly publicKey: string;
}

export async function createKeyPair(): Promise<KeyPair> {
  const folder = await mkdtemp(join(tmpdir(), "keys-"));
  try {
    await runTool("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "test", "-f", join(folder, "key")]);
    const [privateKey, publicKey] = await Promise.all(["key", "key.pub"].map((name) => readFile(join(folder, name), "utf8")));
    return { privateKey: privateKey as string, publicKey: (publicKey as string).trim() };
  } finally {
    await rm(folder, { recursive: true });
  }
}

interface Login {
  readonly user: string;
  readonly address: string;
  readonly key: KeyPair;
  /** The only host key that is accepted. */
  readonly hostKey: string;
}

/** Runs a command over SSH. Returns exit code 255 if the connection or the login fails. */
export async function runOverSsh({ user, address, key, hostKey }: Login, command: string): Promise<ToolResult> {
  const folder = await mkdtemp(join(tmpdir(), "ssh-"));
  try {
    await writeFile(join(folder, "key"), key.privateKey, { mode: 0o600 });
    await writeFile(join(folder, "known"), `${address} ${hostKey}\n`);
    const settings = {
      StrictHostKeyChecking: "yes",
      UserKnownHostsFile: join(folder, "known"),
      GlobalKnownHostsFile: "/dev/null",
      IdentitiesOnly: "yes",
      BatchMode: "yes",
      ConnectTimeout: "2",
      LogLevel: "ERROR",
    };
    const options = Object.entries(settings).flatMap(([name, value]) => ["-o", `${name}=${value}`]);
    const accept = Array.from({ length: 256 }, (_, code) => code);
    return await runTool("ssh", ["-F", "none", "-i", join(folder, "key"), ...options, `${user}@${address}`, command], {
      accept,
      timeoutMs: 120_000,
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}
