import { beforeEach, expect, test } from "vitest";
import { createWireFaults } from "../simulated-faults/wire-faults.ts";
import { createFakeControlPlane, type FakeControlPlane } from "../testing/fake-control-plane.ts";
import { describeInventory } from "../testing/inventory-suite.ts";
import type { Inventory } from "./inventory.ts";
import { openWireConnection } from "./wire-connection.ts";
import { createWireInventory } from "./wire-inventory.ts";

let controlPlane: FakeControlPlane;
let inventory: Inventory;

beforeEach(() => {
  controlPlane = createFakeControlPlane();
  inventory = createWireInventory(controlPlane.options);
});

describeInventory("over the wire", async () => inventory);

const record = (id: string) => ({ type: "thing", id, attributes: { id } });

test("M032 actions in one turn of the event loop share a request: reads and changes separately, changes in a fixed order", async () => {
  const shared = openWireConnection(controlPlane.options);
  const faults = createWireFaults(controlPlane.options, shared);
  const cloud = createWireInventory(controlPlane.options, shared);
  await Promise.all([
    cloud.create("t", record("b")),
    cloud.list("t"),
    cloud.create("t", record("a")),
    faults.take({ tenant: "t", operation: "create", type: "thing" }),
    cloud.find("t", { type: "thing", id: "a" }),
    cloud.create("u", record("a")),
  ]);
  const verbs = controlPlane.sent.map(({ tenant, request, acts }) => [
    tenant,
    request !== undefined,
    acts.map((act) => act.do).join(" "),
  ]);
  expect(verbs).toEqual([
    ["t", false, "list find"],
    ["t", true, "take create create"],
    ["u", true, "create"],
  ]);
  expect(controlPlane.sent[1]?.acts).toMatchObject([{ operation: "create" }, { id: "a" }, { id: "b" }]);
  expect(controlPlane.sent[0]?.authorization).toBe(`Basic ${Buffer.from("task:cws_secret").toString("base64")}`);
});

test("M032 large batches are split, and every call gets its own answer", async () => {
  await inventory.create("t", record("700"));
  const made = await Promise.all(Array.from({ length: 1200 }, (_, nth) => inventory.create("t", record(String(nth)))));
  expect(made.indexOf(false)).toBe(700);
  expect(made.filter(Boolean)).toHaveLength(1199);
  const large = "x".repeat(300_000);
  await Promise.all(["a", "b"].map((id) => inventory.put("t", { type: "large", id, attributes: { large } })));
  expect(controlPlane.sent.map(({ acts }) => acts.length)).toEqual([1, 500, 500, 200, 1, 1]);
});

test("X063 a list is read page by page, or all at once from a control plane of an earlier release", async () => {
  for (const [hasPages, requests] of [
    [true, 3],
    [false, 1],
  ] as const) {
    const server = createFakeControlPlane({ hasPages });
    const cloud = createWireInventory(server.options);
    await Promise.all(["1", "2", "3", "4", "5"].map((id) => cloud.create("t", record(id))));
    await cloud.create("t", { type: "other", id: "1", attributes: {} });
    server.sent.length = 0;
    expect((await cloud.list("t", "thing")).map(({ id }) => id)).toEqual(["1", "2", "3", "4", "5"]);
    expect(server.sent).toHaveLength(requests);
    expect(await cloud.list("t")).toHaveLength(6);
    expect(await cloud.list("t", "none")).toEqual([]);
  }
});

test.each(["lost before", "lost after", 503, 500, 429] as const)(
  "X031 a change whose answer is lost (%s) happens once and reports its original result",
  async (trouble) => {
    controlPlane.troubles.push(trouble, trouble);
    expect(await inventory.create("t", record("1"))).toBe(true);
    controlPlane.troubles.push(trouble);
    expect(await inventory.delete("t", record("1"))).toBe(true);
    expect(controlPlane.sent).toHaveLength(5);
    expect(new Set(controlPlane.sent.map(({ request }) => request)).size).toBe(2);
  },
);

test("X031 a simulated fault whose answer is lost is reported again, but counted once", async () => {
  await controlPlane.faults.add({ kind: "crash", operation: "create", nth: 2 });
  const faults = createWireFaults(controlPlane.options);
  const call = { tenant: "t", operation: "create" } as const;
  controlPlane.troubles.push("lost after");
  expect(await faults.take(call)).toBeUndefined();
  controlPlane.troubles.push("lost after");
  expect(await faults.take(call)).toMatchObject({ kind: "crash" });
});

test("M032 after an answer without planned faults the client does not ask again immediately, but notices new faults soon", async () => {
  const shared = openWireConnection(controlPlane.options);
  const faults = createWireFaults(controlPlane.options, shared);
  const call = { tenant: "t", operation: "create" } as const;
  await createWireInventory(controlPlane.options, shared).list("t");
  for (let nth = 0; nth < 5; nth += 1) expect(await faults.take(call)).toBeUndefined();
  expect(controlPlane.sent).toHaveLength(1);
  await faults.take({ ...call, tenant: "u" });
  expect(controlPlane.sent).toHaveLength(2);
  await controlPlane.faults.add({ kind: "crash", operation: "create", nth: 2 });
  controlPlane.advance(100);
  expect(await faults.take(call)).toBeUndefined();
  expect(await faults.take(call)).toMatchObject({ kind: "crash" });
});

test("X031 a rejected request fails immediately, and a client without an answer gives up after a minute", async () => {
  const code = (reason: string) => expect.objectContaining({ code: `simulator.${reason}` });
  controlPlane.troubles.push(401);
  await expect(inventory.list("t")).rejects.toThrow(code("door_closed"));
  controlPlane.troubles.push(409);
  await expect(inventory.create("t", record("1"))).rejects.toThrow(code("door_refused"));
  expect(controlPlane.sent).toHaveLength(2);
  controlPlane.troubles.push(...Array.from({ length: 100 }, () => "lost before" as const));
  await expect(inventory.create("t", record("1"))).rejects.toThrow(code("door_unavailable"));
  expect(controlPlane.sent.length).toBeLessThan(50);
});

test("X031 a stopped client sends no more requests", async () => {
  const gone = new AbortController();
  const stopped = createWireInventory({ ...controlPlane.options, signal: gone.signal });
  gone.abort(new Error("stopped"));
  await expect(stopped.list("t")).rejects.toThrow("stopped");
  expect(controlPlane.sent).toEqual([]);
});

test("M020 no error contains the credential", async () => {
  controlPlane.troubles.push(401);
  const error = await inventory.list("t").catch((caught: unknown) => caught);
  expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toMatch(/cws_secret|dGFzazpj/);
});
