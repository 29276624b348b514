import { Secret } from "@cloudwright/platform";
import { generateKeyPair } from "@cloudwright/platform/openssh-key";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { connect, type SshTarget } from "./connect.ts";
import { sshFaults } from "./faults.ts";
import { runCommand } from "./run-command.ts";
import { scanHostKeys } from "./scan-host-keys.ts";
import { startSshServer, type SshServer, type SshServerOptions } from "./testing/index.ts";

const user = generateKeyPair();
const start = (run?: SshServerOptions["run"]): Promise<SshServer> =>
  startSshServer({ authorizedKeys: [user.publicKey], ...(run === undefined ? {} : { run }) });
const targetOf = ({ port, hostKeys }: SshServer): SshTarget => ({
  address: "127.0.0.1",
  port,
  user: "admin",
  privateKeys: [new Secret(user.privateKey)],
  hostKeys,
});
const withCode = (fault: { code: string }): unknown => expect.objectContaining({ code: fault.code });
/** A command that ends only when its channel closes. */
const hang = (): void => undefined;

test("M007 a changed host key is refused before the user's key is offered", async () => {
  await using server = await start();
  const other = { ...targetOf(server), hostKeys: [generateKeyPair().publicKey] };
  await expect(connect(other)).rejects.toThrow(withCode(sshFaults.host_key_changed));
  expect(server.logins()).toBe(0);
});

test("M007 a machine without a host key of the recorded type is refused", async () => {
  await using server = await start();
  const ecdsa = "ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBA==";
  await expect(connect({ ...targetOf(server), hostKeys: [ecdsa] })).rejects.toThrow(withCode(sshFaults.host_key_changed));
});

test("M007 a machine whose host key is not known is refused", async () => {
  await using server = await start();
  await expect(connect({ ...targetOf(server), hostKeys: [] })).rejects.toThrow(withCode(sshFaults.no_host_key));
});

test("M007 a wrong private key is refused", async () => {
  await using server = await start();
  const wrong = { ...targetOf(server), privateKeys: [new Secret(generateKeyPair().privateKey)] };
  await expect(connect(wrong)).rejects.toThrow(withCode(sshFaults.key_refused));
  await expect(connect({ ...wrong, privateKeys: [] })).rejects.toThrow(withCode(sshFaults.key_refused));
});

test("M007 the second of two private keys logs in", async () => {
  await using server = await start();
  const connection = await connect({
    ...targetOf(server),
    privateKeys: [new Secret(generateKeyPair().privateKey), new Secret(user.privateKey)],
  });
  expect(await runCommand(connection, ["true"])).toMatchObject({ exitCode: 0 });
  connection.end();
});

test.each(["not a key", "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----\n"])(
  "M007 the malformed private key %j is rejected, and no error contains it",
  async (text) => {
    await using server = await start();
    const error = await connect({ ...targetOf(server), privateKeys: [new Secret(text)] }).catch((caught: unknown) => caught);
    expect(error).toEqual(withCode(sshFaults.bad_key));
    expect((error as Error).message).not.toContain(text);
  },
);

test("M007 a malformed host key is rejected", async () => {
  await using server = await start();
  await expect(connect({ ...targetOf(server), hostKeys: ["ssh-ed25519 zzz"] })).rejects.toThrow(withCode(sshFaults.bad_key));
});

test("M007 the scan of a machine returns the keys that its clients can pin", async () => {
  await using server = await start();
  expect(await scanHostKeys("127.0.0.1", { port: server.port })).toEqual(server.hostKeys);
});

test("M185 a port where nothing listens is reported as unreachable", async () => {
  const server = await start();
  const target = targetOf(server);
  await server[Symbol.asyncDispose]();
  await expect(connect(target)).rejects.toThrow(withCode(sshFaults.unreachable));
  await expect(scanHostKeys("127.0.0.1", { port: target.port ?? 0 })).rejects.toThrow(withCode(sshFaults.unreachable));
});

test("M185 a server that never answers ends the login in time, also when it is cancelled", async () => {
  const silent = createServer(() => undefined).listen(0, "127.0.0.1");
  await once(silent, "listening");
  const { port } = silent.address() as AddressInfo;
  const target: SshTarget = { address: "127.0.0.1", port, user: "admin", privateKeys: [], hostKeys: [user.publicKey] };
  await expect(connect(target, { timeoutMs: 50 })).rejects.toThrow(withCode(sshFaults.timeout));
  await expect(scanHostKeys("127.0.0.1", { port, timeoutMs: 50 })).rejects.toThrow(withCode(sshFaults.timeout));
  const stop = new AbortController();
  const login = connect(target, { signal: stop.signal });
  stop.abort();
  await expect(login).rejects.toThrow(withCode(sshFaults.cancelled));
  silent.close();
});

test("M185 a server that is not an SSH server is reported", async () => {
  const web = createServer((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")).listen(0, "127.0.0.1");
  await once(web, "listening");
  const { port } = web.address() as AddressInfo;
  await expect(scanHostKeys("127.0.0.1", { port })).rejects.toThrow(expect.objectContaining({ name: "Fault" }));
  web.close();
});

test("M185 a command that hangs is ended after its time limit, and the connection remains usable", async () => {
  await using server = await start((command, channel) => {
    if (command === "'hang'") return hang();
    channel.exit(0);
    channel.end("done");
  });
  const connection = await connect(targetOf(server));
  await expect(runCommand(connection, ["hang"], { timeoutMs: 50 })).rejects.toThrow(withCode(sshFaults.timeout));
  expect(await runCommand(connection, ["work"])).toMatchObject({ exitCode: 0, stdout: "done" });
  connection.end();
});

test("M185 a command is cancelled by its signal, before and after its start", async () => {
  const stop = new AbortController();
  await using server = await start(() => stop.abort());
  const connection = await connect(targetOf(server));
  await expect(runCommand(connection, ["hang"], { signal: stop.signal })).rejects.toThrow(withCode(sshFaults.cancelled));
  await expect(runCommand(connection, ["hang"], { signal: stop.signal })).rejects.toThrow(withCode(sshFaults.cancelled));
  connection.end();
});

test("M185 a connection that drops in the middle of a command is reported, not taken for its end", async () => {
  await using server = await start((_, channel, connection) => {
    channel.write("some output");
    connection.end();
  });
  const connection = await connect(targetOf(server));
  await expect(runCommand(connection, ["drop"])).rejects.toThrow(withCode(sshFaults.connection_lost));
  await expect(runCommand(connection, ["again"])).rejects.toThrow(withCode(sshFaults.connection_lost));
});

test("M185 a command that ends without an exit code is reported as lost", async () => {
  await using server = await start((_, channel) => channel.end());
  const connection = await connect(targetOf(server));
  await expect(runCommand(connection, ["vanish"])).rejects.toThrow(withCode(sshFaults.connection_lost));
  connection.end();
});

test("M185 output past the limit is dropped, and a flood of output ends the command", async () => {
  await using server = await start((command, channel) => {
    if (command === "'much'") {
      channel.write("x".repeat(5000));
      channel.exit(0);
      return void channel.end();
    }
    const flood = (): void => {
      while (channel.writable && channel.write("x".repeat(16_384)));
      channel.once("drain", flood);
    };
    flood();
  });
  const connection = await connect(targetOf(server));
  const { stdout, isTruncated } = await runCommand(connection, ["much"], { maxOutputBytes: 1000 });
  expect({ length: stdout.length, isTruncated }).toEqual({ length: 1000, isTruncated: true });
  const flood = runCommand(connection, ["flood"], { maxOutputBytes: 1000, maxReceivedBytes: 1_000_000 });
  await expect(flood).rejects.toThrow(withCode(sshFaults.too_much_output));
  connection.end();
});

test("M185 several commands share one login", async () => {
  await using server = await start((command, channel) => {
    channel.exit(command === "'a'" ? 3 : 4);
    channel.end(command);
  });
  const connection = await connect(targetOf(server));
  const results = await Promise.all([runCommand(connection, ["a"]), runCommand(connection, ["b"])]);
  expect(results.map(({ exitCode, stdout }) => [exitCode, stdout])).toEqual([
    [3, "'a'"],
    [4, "'b'"],
  ]);
  expect(server.logins()).toBe(1);
  connection.end();
});

test("M185 a machine that answers slowly is waited for", async () => {
  await using server = await start((_, channel) => {
    let count = 0;
    const timer = setInterval(() => {
      channel.write(".");
      if ((count += 1) < 20) return;
      clearInterval(timer);
      channel.exit(0);
      channel.end();
    }, 5);
  });
  const connection = await connect(targetOf(server));
  expect(await runCommand(connection, ["slow"])).toMatchObject({ exitCode: 0, stdout: ".".repeat(20) });
  connection.end();
});
