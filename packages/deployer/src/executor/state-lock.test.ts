import { Secret } from "@cloudwright/platform";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import type { StateAccess } from "../task.ts";
import { readState, releaseOwnLock } from "./state-lock.ts";

/** A door that holds one lock and says whose it is, as the control plane's does. */
async function openDoor(held: string | undefined): Promise<{ door: StateAccess; holder(): string | undefined; calls: string[] }> {
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
  const door = { address, lockAddress: address, unlockAddress: address, username: "task", password: new Secret("word") };
  return { door, holder: () => holder, calls };
}

test("X030 a lock that a killed Terraform of the same lease holds is given back", async () => {
  const { door, holder } = await openDoor("killed");
  await releaseOwnLock(door);
  expect(holder()).toBeUndefined();
});

test("X030 where no lock is held none is left", async () => {
  const { door, holder, calls } = await openDoor(undefined);
  await releaseOwnLock(door);
  expect(holder()).toBeUndefined();
  expect(calls).toEqual(["LOCK", "UNLOCK"]);
});

test("M072 a door that refuses is a fault that is tried again, and no state is no state", async () => {
  const { door } = await openDoor(undefined);
  expect(await readState(door)).toBeUndefined();
  const stranger = { ...door, password: new Secret("other") };
  await expect(readState(stranger)).rejects.toMatchObject({ code: "deployer.state_door", retry: "backoff" });
  await expect(releaseOwnLock(stranger)).rejects.toMatchObject({ code: "deployer.state_door" });
});
