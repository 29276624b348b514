import { findTool, systemClock } from "@cloudwright/platform";
import { generateKeyPair } from "@cloudwright/platform/openssh-key";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { scanHostKeys } from "../scan-host-keys.ts";

/** OpenSSH's server, or the reason why tests that need it are skipped. */
export const sshd = probe();

export interface OpenSsh extends AsyncDisposable {
  readonly port: number;
  readonly user: string;
  readonly hostKeys: readonly string[];
  /** A folder that is deleted with the server. */
  readonly folder: string;
  /** Replaces the keys that may log in. */
  authorize(...publicKeys: readonly string[]): void;
}

/** Starts OpenSSH's server on a loopback address, for the user that runs the tests. */
export async function startOpenSsh(): Promise<OpenSsh> {
  if (!sshd.found) throw new Error(sshd.reason);
  const folder = mkdtempSync(join(tmpdir(), "cw-sshd-"));
  const [hostKey, port] = [generateKeyPair(), await findFreePort()];
  const [keyFile, authorized] = [join(folder, "host_key"), join(folder, "authorized_keys")];
  writeFileSync(keyFile, hostKey.privateKey, { mode: 0o600 });
  writeFileSync(authorized, "", { mode: 0o600 });
  const config = [
    "ListenAddress 127.0.0.1",
    `Port ${port}`,
    `HostKey ${keyFile}`,
    `AuthorizedKeysFile ${authorized}`,
    "PidFile none",
    "UsePAM no",
    // The tests' folder for temporary files may be writable for others.
    "StrictModes no",
    "PermitRootLogin prohibit-password",
    "PasswordAuthentication no",
  ];
  const configFile = join(folder, "sshd_config");
  writeFileSync(configFile, `${config.join("\n")}\n`);
  const server = spawn(sshd.path, ["-D", "-e", "-f", configFile], { stdio: "ignore" });
  const exited = once(server, "exit");
  const started = { port, user: userInfo().username, hostKeys: [hostKey.publicKey], folder };
  const stop = async (): Promise<void> => {
    server.kill("SIGTERM");
    await exited;
    rmSync(folder, { recursive: true, force: true });
  };
  for (let attempt = 0; attempt < 500; attempt += 1) {
    const isUp = await scanHostKeys("127.0.0.1", { port }).then(
      () => true,
      () => false,
    );
    if (isUp) {
      return {
        ...started,
        authorize: (...keys) => writeFileSync(authorized, keys.map((key) => `${key}\n`).join("")),
        [Symbol.asyncDispose]: stop,
      };
    }
    if (server.exitCode !== null) break;
    await systemClock.sleep(20);
  }
  await stop();
  throw new Error("sshd did not start");
}

function probe(): { readonly found: true; readonly path: string } | { readonly found: false; readonly reason: string } {
  // Debian installs it outside the PATH of ordinary users.
  const path = findTool("sshd") ?? findTool("sshd", { PATH: "/usr/sbin:/usr/local/sbin" });
  if (path === undefined)
    return { found: false, reason: "sshd is not installed on this machine (apt-get install openssh-server)" };
  if (userInfo().uid !== 0) return { found: true, path };
  try {
    // Required by servers that root starts. It is lost with each start of the machine.
    mkdirSync("/run/sshd", { recursive: true, mode: 0o755 });
    return { found: true, path };
  } catch {
    return { found: false, reason: "the folder /run/sshd, which sshd needs, cannot be created" };
  }
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
