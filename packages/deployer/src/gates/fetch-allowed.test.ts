import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fetchAllowed } from "./fetch-allowed.ts";

let server: Server;
let port: number;
const seen: { url: string; headers: object }[] = [];
beforeAll(async () => {
  server = createServer((request, response) => {
    seen.push({ url: request.url ?? "", headers: request.headers });
    if (request.url === "/away") response.writeHead(302, { location: "http://169.254.169.254/latest/meta-data/" }).end();
    else if (request.url === "/large") response.end("x".repeat(10_000_000));
    else response.end("fine");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

const signal = new AbortController().signal;
const refused = { code: "deployer.gate_refused", retry: "never" };

test("X040 a gate cannot reach a host unless the agent's operator allows it", async () => {
  const targets = [
    `http://127.0.0.1:${port}/`,
    "http://localhost/",
    "http://169.254.169.254/latest/meta-data/",
    "http://[fd00:ec2::254]/",
    "http://metadata.google.internal/",
    "https://example.com/",
    `http://allowed.test:${port}/`,
    "http://allowed.test@169.254.169.254/",
  ];
  for (const url of targets)
    await expect(fetchAllowed(url, { allowed: ["allowed.test"], signal })).rejects.toMatchObject(refused);
});

test("X040 reserved addresses are rejected in every notation, even if the operator lists them", async () => {
  const addresses = [
    "169.254.169.254",
    "0.0.0.0",
    "[fd00:ec2::254]",
    "[fe80::1]",
    "[::ffff:169.254.169.254]",
    "[64:ff9b::a9fe:a9fe]",
  ];
  const notations = ["http://2852039166/", "http://0xa9fea9fe/", "http://0251.0376.0251.0376/", "http://169.254.43518/"];
  const urls = [...addresses.map((address) => `http://${address}/`), ...notations];
  const allowed = urls.flatMap((url) => [new URL(url).host]);
  for (const url of urls) await expect(fetchAllowed(url, { allowed, signal })).rejects.toMatchObject(refused);
});

test("X040 an allowed name that resolves to a reserved address or to the agent itself is rejected", async () => {
  const own = Object.values(networkInterfaces()).flatMap((list = []) => list.map(({ address }) => address));
  const addresses = [
    "127.0.0.1",
    "::1",
    "::ffff:127.0.0.1",
    "169.254.169.254",
    "fd00:ec2::254",
    "fe80::1%eth0",
    "not an address",
    ...own,
  ];
  for (const address of addresses) {
    const resolve = async () => [
      { address: "192.0.2.1", family: 4 },
      { address, family: address.includes(":") ? 6 : 4 },
    ];
    const request = fetchAllowed("http://allowed.test/", { allowed: ["allowed.test"], signal, resolve });
    await expect(request).rejects.toMatchObject(refused);
  }
});

test("X040 an address that the operator lists is requested without credentials; redirects are not followed, and bodies are truncated", async () => {
  const allowed = [`127.0.0.1:${port}`];
  const base = `http://127.0.0.1:${port}`;
  expect(await fetchAllowed(`${base}/fine?a=b`, { allowed, signal })).toEqual({ status: 200, text: "fine" });
  expect(Object.keys(seen.at(-1)?.headers ?? {}).toSorted()).toEqual(["accept", "connection", "host", "user-agent"]);
  expect(await fetchAllowed(`${base}/away`, { allowed, signal })).toMatchObject({ status: 302 });
  expect((await fetchAllowed(`${base}/large`, { allowed, signal })).text).toHaveLength(65_536);
  expect(seen.map(({ url }) => url)).toEqual(["/fine?a=b", "/away", "/large"]);
});

test("X040 a name is resolved once, so the connection uses the address that was checked", async () => {
  let calls = 0;
  const resolve = async () => {
    calls += 1;
    return [{ address: "192.0.2.1", family: 4 }];
  };
  const stop = AbortSignal.timeout(200);
  const request = fetchAllowed("http://allowed.test/", { allowed: ["allowed.test"], signal: stop, resolve });
  // The address is reserved for documentation. How the connection fails depends on the machine's network.
  await request.catch(() => undefined);
  expect(calls).toBe(1);
});
