import { createAddressLimit } from "@cloudwright/platform";
import { createServer as createHttpServer } from "node:http";
import { connect, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { createOnePort, type OnePort } from "./one-port.ts";

const sockets: Socket[] = [];
const ports: OnePort[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const port of ports.splice(0)) await port.close();
});

test("X071 one address cannot use up the connections of others, and can reconnect after closing its own", () => {
  const limit = createAddressLimit(2);
  const [first, second] = [limit.open("192.0.2.1"), limit.open("::ffff:192.0.2.1")];
  expect([first, second]).not.toContain(undefined);
  expect(limit.open("192.0.2.1")).toBeUndefined();
  expect(limit.open("192.0.2.2")).toBeDefined();
  first?.();
  first?.();
  expect(limit.open("192.0.2.1")).toBeDefined();
  expect(limit.open("192.0.2.1")).toBeUndefined();
});

test("X071 connections from IPv6 addresses are counted per /64 network", () => {
  const limit = createAddressLimit(1);
  expect(limit.open("2001:db8:0:1::1")).toBeDefined();
  expect(limit.open("2001:db8:0:1:ffff::2%eth0")).toBeUndefined();
  expect(limit.open("2001:db8::1")).toBeDefined();
  expect(limit.open("2001:db8::ffff:2")).toBeUndefined();
  expect(limit.open("2001:db8:0:2::1")).toBeDefined();
});

test("X071 a proxy on the same machine is not limited", () => {
  const limit = createAddressLimit(1);
  for (const address of ["127.0.0.1", "127.0.0.1", "::1", "::1", "::ffff:127.0.0.1"]) expect(limit.open(address)).toBeDefined();
});

test("X071 a connection beyond the limit is closed at once, and the others keep working", async () => {
  const http = createHttpServer((_request, response) => response.end("ok"));
  const port = createOnePort(
    http,
    () => undefined,
    createAddressLimit(2, () => false),
  );
  ports.push(port);
  const { port: number } = await port.listen({ host: "127.0.0.1", port: 0 });
  const dial = (): Socket => {
    const socket = connect(number, "127.0.0.1");
    socket.on("error", () => undefined);
    sockets.push(socket);
    return socket;
  };
  const request = (socket: Socket): Promise<string> =>
    new Promise((resolve) => {
      socket.once("data", (data) => resolve(data.toString("latin1", 0, 15)));
      socket.once("close", () => resolve("closed"));
      socket.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n");
    });
  const [one, two, three] = [dial(), dial(), dial()];
  expect(await Promise.all([one, two].map(request))).toEqual(["HTTP/1.1 200 OK", "HTTP/1.1 200 OK"]);
  expect(await request(three)).toBe("closed");
  one.destroy();
  await expect.poll(() => request(dial())).toBe("HTTP/1.1 200 OK");
  expect(await request(two)).toBe("HTTP/1.1 200 OK");
});
