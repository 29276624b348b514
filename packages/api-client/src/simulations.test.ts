import { expect, test } from "vitest";
import { createClient } from "./index.ts";
import { createFakeServer } from "./testing/index.ts";

const account = "/v1/projects/default/accounts/sandbox";

function connect() {
  const server = createFakeServer();
  const records = [{ type: "aws_vpc", id: "vpc-1", attributes: { cidr: "10.0.0.0/16" }, simulated: true }];
  server.setSimulation(account, { records, faults: [], conditions: {} });
  return { server, client: createClient({ server: "http://server/", apiKey: server.key, fetch: server.fetch }) };
}

async function readAll<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

test("M032 a simulated cloud is read, changed outside Terraform, and cleared", async () => {
  const { client, server } = connect();
  const key = { type: "aws_vpc", id: "vpc-1" };
  expect(await client.simulations.get("default", "sandbox")).toMatchObject({ simulated: true, records: { aws_vpc: 1 } });
  expect(await readAll(client.simulations.records("default", "sandbox", { type: "aws_vpc" }))).toHaveLength(1);
  expect(server.requests.at(-1)?.query.toString()).toBe("type=aws_vpc&pageSize=1000");
  expect(await client.simulations.drift("default", "sandbox", key, { cidr: "10.1.0.0/16" })).toMatchObject(key);
  expect(await client.simulations.record("default", "sandbox", key)).toMatchObject({ attributes: { cidr: "10.1.0.0/16" } });
  await client.simulations.remove("default", "sandbox", key);
  await expect(client.simulations.record("default", "sandbox", key)).rejects.toMatchObject({ code: "api.not_found" });
  expect(await client.simulations.adjust("default", "sandbox", { quotas: { roles: 1 } })).toMatchObject({
    conditions: { quotas: { roles: 1 } },
  });
  expect(await client.simulations.reset("default", "sandbox")).toMatchObject({ records: {}, faults: 0 });
  await expect(client.simulations.get("default", "real")).rejects.toMatchObject({ code: "api.not_simulated" });
});

test("M032 simulated faults are added once, listed and removed", async () => {
  const { client, server } = connect();
  const { uid = "" } = await client.simulations.fail("default", "sandbox", {
    kind: "crash",
    operation: "create",
    type: "aws_vpc",
  });
  expect(await readAll(client.simulations.faults("default", "sandbox"))).toMatchObject([{ uid, kind: "crash" }]);
  expect(await client.simulations.clear("default", "sandbox", { uid })).toMatchObject({ faults: 0 });
  server.answerOnce("POST", /fail$/, () => new TypeError("fetch failed", { cause: { code: "ECONNRESET" } }));
  await expect(client.simulations.fail("default", "sandbox", { kind: "hang", operation: "read" })).rejects.toMatchObject({
    kind: "unavailable",
  });
  expect(server.requests.filter(({ path }) => path.endsWith("/fail"))).toHaveLength(2);
});
