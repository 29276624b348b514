import { Fault, type Secret } from "@cloudwright/platform";
import { renderFingerprint } from "@cloudwright/platform/openssh-key";
import ssh2, { type Client, type ParsedKey } from "ssh2";
import { explainError } from "./explain-error.ts";
import { sshFaults } from "./faults.ts";
import { pinHostKeys, renderHostKey } from "./host-keys.ts";

/** A machine and the user to log in as. */
export interface SshTarget {
  readonly address: string;
  /** Default: 22. */
  readonly port?: number;
  readonly user: string;
  /** Private keys in OpenSSH's format without a passphrase. They are tried in this order. */
  readonly privateKeys: readonly Secret[];
  /** Lines of type and base64. The machine must present one of them. */
  readonly hostKeys: readonly string[];
}

export interface ConnectOptions {
  /** Limits the whole login. Default: 20 seconds. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
  /** How often a silent machine is asked whether it is still there. The third unanswered question ends the connection. Default: 10 seconds. */
  readonly keepaliveMs?: number;
}

/** A login on a machine. It runs any number of commands, at most ten at a time with the default settings of OpenSSH. */
export interface SshConnection {
  /** User, address and port, for messages. */
  readonly where: string;
  readonly client: Client;
  /** Aborted with a fault as reason when the connection ends. */
  readonly ended: AbortSignal;
  end(): void;
}

/** Logs in on a machine. Throws if the machine presents a host key that is not pinned, or accepts none of the private keys. */
export async function connect(target: SshTarget, options: ConnectOptions = {}): Promise<SshConnection> {
  const { address, port = 22, user } = target;
  const { timeoutMs = 20_000, signal, keepaliveMs = 10_000 } = options;
  const where = `${user}@${address}:${port}`;
  const pinned = pinHostKeys(target.hostKeys, where);
  const keys = target.privateKeys.map((key) => parsePrivateKey(key, where));
  if (signal?.aborted === true) throw new Fault(sshFaults.cancelled, `the login on ${where} was cancelled`);
  const client = new ssh2.Client();
  const ended = new AbortController();
  let presented: string | undefined;
  let isLoggedIn = false;
  const login = Promise.withResolvers<void>();
  const fail = (fault: Fault): void => {
    login.reject(fault);
    ended.abort(fault);
    client.destroy();
  };
  const onAbort = (): void => fail(new Fault(sshFaults.cancelled, `the login on ${where} was cancelled`));
  const timer = setTimeout(
    () => fail(new Fault(sshFaults.timeout, `the login on ${where} took more than ${timeoutMs} ms`)),
    timeoutMs,
  );
  signal?.addEventListener("abort", onAbort, { once: true });
  client
    .on("ready", () => {
      isLoggedIn = true;
      login.resolve();
    })
    .on("error", (error) => fail(explainError(error, where, { presented, isLoggedIn })))
    .on("close", () =>
      fail(new Fault(sshFaults[isLoggedIn ? "connection_lost" : "unreachable"], `${where} ended the connection`)),
    );
  client.connect({
    host: address,
    port,
    username: user,
    algorithms: { serverHostKey: pinned.algorithms },
    hostVerifier: (key: Buffer) => {
      if (pinned.accepts(key)) return true;
      presented = renderFingerprint(renderHostKey(key));
      return false;
    },
    authHandler: keys.map((key) => ({ type: "publickey" as const, username: user, key })),
    keepaliveInterval: keepaliveMs,
    keepaliveCountMax: 2,
    readyTimeout: 0,
  });
  try {
    await login.promise;
    return { where, client, ended: ended.signal, end: () => client.end() };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  }
}

function parsePrivateKey(secret: Secret, where: string): ParsedKey {
  const parsed: ParsedKey | Error | (ParsedKey | Error)[] = ssh2.utils.parseKey(secret.reveal());
  const key = Array.isArray(parsed) ? parsed[0] : parsed;
  // The library's message may quote parts of the key.
  if (key === undefined || key instanceof Error || !key.isPrivateKey()) {
    throw new Fault(sshFaults.bad_key, `a private key for ${where} cannot be read, or it has a passphrase`);
  }
  return key;
}
