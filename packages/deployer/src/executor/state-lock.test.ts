import { Secret } from "@cloudwright/platform";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import type { StateAccess } from "../task.ts";
import { readState, releaseOwnLock } from "./state-lock.ts";

/** Starts an endpoint that stores one lock and returns its holder on conflict, like the control plane. */
async function startEndpoint(
  held: string | undefined,
): Promise<{ endpoint: StateAccess; holder(): string | undefined; calls: string[] }> {
  let holder = held;
  const calls: string[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => (body += String(chunk)));
    request.on("end", () => {
      const { ID: id } = JSON.parse(body || "{}") as { ID?: string };
      calls.push(request.method ?? "");
      if (request.headers.authorization !== `Basic ${Buffer.from("task:word").toString("base64")}`) response.statusCode = 401;
      else if (request.method === "GET") response.statusCode = 204;
      else if (request.method === "LOCK" && holder === undefined) holder = id;
      else if (request.method === "LOCK") response.writeHead(423).write(JSON.stringify({ ID: holder }));
      else if (holder === id) holder = undefined;
      else response.statusCode = 409;
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/s`;
  const endpoint = { address, lockAddress: address, unlockAddress: address, username: "task", password: new Secret("word") };
  return { endpoint, holder: () => holder, calls };
}

test("X030 the lock of a killed predecessor with the same lease is released", async () => {
  const { endpoint, holder } = await startEndpoint("killed");
  await releaseOwnLock(endpoint);
  expect(holder()).toBeUndefined();
});

test("X030 a state that was not locked is unlocked afterwards", async () => {
  const { endpoint, holder, calls } = await startEndpoint(undefined);
  await releaseOwnLock(endpoint);
  expect(holder()).toBeUndefined();
  expect(calls).toEqual(["LOCK", "UNLOCK"]);
});

test("M072 a rejected request is retried later; a missing state is undefined", async () => {
  const { endpoint } = await startEndpoint(undefined);
  expect(await readState(endpoint)).toBeUndefined();
  const stranger = { ...endpoint, password: new Secret("other") };
  await expect(readState(stranger)).rejects.toMatchObject({ code: "deployer.state_door", retry: "backoff" });
  await expect(releaseOwnLock(stranger)).rejects.toMatchObject({ code: "deployer.state_door" });
});
