import { generateKeyPair, readPublicKey, type KeyPair } from "@cloudwright/platform/openssh-key";
import type { AddressInfo } from "node:net";
import ssh2, { type Connection, type ServerChannel } from "ssh2";

export interface SshServerOptions {
  /** Default: a new key. */
  readonly hostKeys?: readonly KeyPair[];
  /** Public keys that may log in. They may change while the server runs. */
  readonly authorizedKeys: string[];
  /** Plays the program that a command starts. Default: exits with code 0. */
  readonly run?: (command: string, channel: ServerChannel, connection: Connection) => void;
}

export interface SshServer extends AsyncDisposable {
  readonly port: number;
  /** The public halves of the host keys. */
  readonly hostKeys: readonly string[];
  /** How many clients have logged in so far. */
  logins(): number;
}

/** Starts an SSH server on a loopback address. */
export async function startSshServer(options: SshServerOptions): Promise<SshServer> {
  const { hostKeys = [generateKeyPair()], authorizedKeys, run = (_, channel) => exit(channel, 0) } = options;
  const connections = new Set<Connection>();
  let logins = 0;
  const server = new ssh2.Server({ hostKeys: hostKeys.map(({ privateKey }) => privateKey) }, (connection) => {
    connections.add(connection);
    connection
      .on("authentication", (request) => {
        if (request.method !== "publickey") return request.reject(["publickey"]);
        const presented = `${request.key.algo} ${request.key.data.toString("base64")}`;
        // The library has verified the signature's form only; the tests trust the client.
        if (authorizedKeys.some((line) => readPublicKey(line)?.key === presented)) request.accept();
        else request.reject(["publickey"]);
      })
      .on("ready", () => (logins += 1))
      .on("error", () => undefined)
      .on("close", () => connections.delete(connection))
      .on("session", (accept) =>
        accept().on("exec", (acceptCommand, _, { command }) => run(command, acceptCommand(), connection)),
      );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    hostKeys: hostKeys.map(({ publicKey }) => publicKey),
    logins: () => logins,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const connection of connections) connection.end();
      await closed;
    },
  };
}

function exit(channel: ServerChannel, code: number): void {
  channel.exit(code);
  channel.end();
}
