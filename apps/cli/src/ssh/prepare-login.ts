import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The address, user and keys for an SSH login. */
export interface LoginRequest {
  /** Name under which the host keys are stored. It does not depend on the address, which can change. */
  readonly alias: string;
  readonly address: string;
  readonly port: number | undefined;
  readonly user: string;
  /** Host keys to trust. If the list is empty, the key that the host presents is trusted. */
  readonly hostKeys: readonly string[];
  /** Private keys in OpenSSH's format. If the list is empty, ssh uses the user's own keys. */
  readonly privateKeys: readonly string[];
  /** Path of the user's own private key file. */
  readonly identity: string | undefined;
}

/** A login that is ready to start. */
export interface Login {
  /** Arguments for OpenSSH's `ssh`, up to and including the host. They contain no secrets. */
  readonly args: readonly string[];
  /** Returns the host keys that ssh accepted on first contact. Returns an empty list if host keys were already known. */
  readAccepted(): Promise<string[]>;
  /** Deletes the private keys and the list of known hosts. */
  close(): Promise<void>;
}

/** Writes the private keys and the list of known hosts to a folder that only the user can read. */
export async function prepareLogin(request: LoginRequest): Promise<Login> {
  const { hostKeys, privateKeys, identity, port } = request;
  const alias = `cloudwright-${request.alias}`;
  const folder = await mkdtemp(join(tmpdir(), "cloudwright-ssh-"));
  const known = join(folder, "known_hosts");
  const close = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    await writeFile(known, hostKeys.map((key) => `${alias} ${key}\n`).join(""), { mode: 0o600 });
    const files = privateKeys.map((_, index) => join(folder, `key-${index + 1}`));
    for (const [index, file] of files.entries()) await writeFile(file, privateKeys[index] ?? "", { mode: 0o600 });
    const identities = identity === undefined ? files : [identity];
    return {
      args: [
        ...(hostKeys.length > 0 ? option("StrictHostKeyChecking", "yes") : option("StrictHostKeyChecking", "accept-new")),
        ...option("UserKnownHostsFile", known),
        // Only the recorded keys may prove the host's identity.
        ...option("GlobalKnownHostsFile", "none"),
        ...option("KnownHostsCommand", "none"),
        ...option("VerifyHostKeyDNS", "no"),
        ...option("UpdateHostKeys", "no"),
        ...option("HashKnownHosts", "no"),
        ...option("CheckHostIP", "no"),
        // Without a limit, ssh waits for minutes if nothing answers at the address.
        ...option("ConnectTimeout", "20"),
        ...option("HostKeyAlias", alias),
        ...(identities.length === 0 ? [] : option("IdentitiesOnly", "yes")),
        ...identities.flatMap((file) => ["-i", file]),
        ...(port === undefined ? [] : ["-p", String(port)]),
        "-l",
        request.user,
        "--",
        request.address,
      ],
      readAccepted: async () => (hostKeys.length > 0 ? [] : listKeys(await readFile(known, "utf8"), alias)),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function option(name: string, value: string): string[] {
  return ["-o", `${name}=${value}`];
}

function listKeys(knownHosts: string, alias: string): string[] {
  const rows = knownHosts.split("\n").map((line) => line.trim().split(/\s+/));
  return rows.flatMap(([host = "", type, key]) => (host.includes(alias) && key !== undefined ? [`${type ?? ""} ${key}`] : []));
}
