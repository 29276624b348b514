import { objectOf, textOf } from "@cloudwright/platform";
import { connect } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { changeConditions } from "../../cloud/conditions.ts";
import { idsOf } from "./credentials.ts";
import { clusterBody, location, openAzure, type AzureUnderTest, type SendRequest } from "./testing/open-azure.ts";

let azure: AzureUnderTest;
let send: SendRequest;
beforeEach(async () => {
  azure = await openAzure({ limits: { bodyBytes: 20_000, requests: 3 } });
  send = await azure.connect("a");
});
afterEach(() => azure.close());

const clusters = "~/providers/Microsoft.ContainerService/managedClusters";
const addresses = "~/providers/Microsoft.Network/publicIPAddresses";
const address = { location, sku: { name: "Standard" }, properties: { publicIPAllocationMethod: "Static" } };

test("M163 errors have the body and the headers of Azure Resource Manager", async () => {
  const missing = await send("GET", `${clusters}/none`);
  expect(missing).toMatchObject({ status: 404, code: "ResourceNotFound" });
  expect(missing.headers.get("x-ms-request-id")).toMatch(/^[0-9a-f-]{36}$/);
  expect(textOf(objectOf(missing.body["error"])["message"])).toContain("Microsoft.ContainerService/managedClusters/none");
  const elsewhere = clusters.replace("~", `/subscriptions/${idsOf("a").subscriptionId}/resourceGroups/none`);
  expect(await send("GET", `${elsewhere}/x`)).toMatchObject({ status: 404, code: "ResourceGroupNotFound" });
  expect(await send("PUT", `${elsewhere}/x`, { body: clusterBody })).toMatchObject({ code: "ResourceGroupNotFound" });
  expect(await send("DELETE", `${clusters}/none`)).toMatchObject({ status: 204, text: "" });
  expect(await send("GET", `${clusters}?api-version=`)).toMatchObject({ status: 400, code: "MissingApiVersionParameter" });
  expect(await send("GET", `${clusters}?api-version=new`)).toMatchObject({ status: 400, code: "InvalidApiVersionParameter" });
  const subnets = "~/providers/Microsoft.Network/virtualNetworks/none/subnets";
  expect(await send("GET", subnets)).toMatchObject({ status: 404, code: "ResourceNotFound" });
  expect(await send("PUT", `${subnets}/one`, { body: { properties: {} } })).toMatchObject({ code: "ResourceNotFound" });
  expect(await send("GET", "~/providers/Microsoft.Sql/servers")).toMatchObject({ status: 404, code: "NotFound" });
});

test("M163 a caller reaches only its own subscriptions", async () => {
  const other = await azure.connect("b");
  await other("PUT", `${clusters}/dev`, { body: clusterBody });
  const path = `/subscriptions/${idsOf("b").subscriptionId}`;
  for (const each of ["", "/resourcegroups", "/resourceGroups/rg/providers/Microsoft.ContainerService/managedClusters/dev"])
    expect(await send("GET", `${path}${each}`)).toMatchObject({ status: 404, code: "SubscriptionNotFound" });
  expect((await send("GET", "/subscriptions")).text).not.toContain(idsOf("b").subscriptionId);
  expect((await send("GET", clusters)).body["value"]).toEqual([]);
});

test("M163 ids ignore case, and a location can be written as a display name", async () => {
  const body = { ...address, location: "West Europe" };
  expect(await send("PUT", `${addresses}/One`, { body })).toMatchObject({ status: 201, body: { location: "westeurope" } });
  const upper = addresses
    .toUpperCase()
    .replace("~", `/SUBSCRIPTIONS/${idsOf("a").subscriptionId.toUpperCase()}/resourcegroups/RG`);
  expect((await send("GET", `${upper}/ONE`)).body["name"]).toBe("One");
  const moved = await send("PUT", `${addresses}/one`, { body: { ...address, location: "eastus" } });
  expect(moved).toMatchObject({ status: 409, code: "InvalidResourceLocation" });
});

test("M163 lists have pages, and a link is valid only for its own list and caller", async () => {
  for (const name of ["a", "b", "c", "d", "e"]) await send("PUT", `${addresses}/${name}`, { body: address });
  const names: unknown[] = [];
  let next = `${addresses}?$top=2`;
  for (let page = 0; page < 3; page++) {
    const { body } = await send("GET", next);
    names.push(...(body["value"] as unknown as { name: string }[]).map(({ name }) => name));
    next = textOf(body["nextLink"]);
  }
  expect(names).toEqual(["a", "b", "c", "d", "e"]);
  expect(next).toBe("");
  const link = textOf((await send("GET", `${addresses}?$top=2`)).body["nextLink"]);
  expect(await (await azure.connect("b"))("GET", link)).toMatchObject({ status: 404 });
  const token = new URL(link).searchParams.get("$skiptoken") ?? "";
  expect(await send("GET", `${clusters}?$skiptoken=${token}`)).toMatchObject({ status: 400, code: "InvalidSkipToken" });
  expect(await send("GET", `${addresses}?$top=0`)).toMatchObject({ status: 400 });
});

test("M163 a client can follow a change through the links in the reply, and operations survive a restart", async () => {
  const made = await send("PUT", `${clusters}/dev`, { body: clusterBody });
  expect(made).toMatchObject({ status: 201, body: { properties: { provisioningState: "Creating" } } });
  const link = made.headers.get("azure-asyncoperation") ?? "";
  expect(Number(made.headers.get("retry-after"))).toBeGreaterThan(0);
  expect((await send("GET", link)).body).toMatchObject({ status: "InProgress" });
  azure.advance(600_000);
  expect((await send("GET", link)).body).toMatchObject({ status: "Succeeded" });
  const gone = await send("DELETE", `${clusters}/dev`);
  const results = gone.headers.get("location") ?? "";
  expect(gone.status).toBe(202);
  expect((await send("GET", results)).status).toBe(202);
  expect((await send("GET", `${clusters}/dev`)).body).toMatchObject({ properties: { provisioningState: "Deleting" } });
  azure.advance(600_000);
  expect((await send("GET", results)).status).toBe(204);
  expect((await send("GET", `${clusters}/dev`)).status).toBe(404);
  expect((await send("GET", results.replace(/operationResults\/[^?]+/, "operationResults/x"))).status).toBe(404);
});

test("M163 a resource group is deleted with everything in it", async () => {
  await send("PUT", `${addresses}/one`, { body: address });
  const gone = await send("DELETE", "~");
  azure.advance(60_000);
  expect((await send("GET", gone.headers.get("location") ?? "")).status).toBe(200);
  expect((await azure.inventory.list("a")).filter(({ type }) => type.startsWith("azurerm_"))).toEqual([]);
});

test("M149 a simulated fault affects one operation, with the cloud's code and status", async () => {
  const name = "ManagedClusters_Get";
  await azure.faults.add({ operation: "call", type: name, kind: "error", message: "InternalOperationError: sorry" });
  expect(await send("GET", `${clusters}/dev`)).toMatchObject({ status: 500, code: "InternalOperationError" });
  expect((await send("GET", `${clusters}/dev`)).code).toBe("ResourceNotFound");
  const type = "azurerm_kubernetes_cluster";
  await azure.faults.add({ operation: "create", type, kind: "error", message: "QuotaExceeded: too many" });
  expect(await send("PUT", `${clusters}/dev`, { body: clusterBody })).toMatchObject({ status: 409, code: "QuotaExceeded" });
  await azure.faults.add({ operation: "create", type, kind: "lost_reply" });
  await expect(send("PUT", `${clusters}/dev`, { body: clusterBody })).rejects.toThrow("fetch failed");
  expect(await azure.inventory.list("a", type)).toHaveLength(1);
  await azure.faults.add({ operation: "create", type, kind: "hang" });
  await send("PUT", `${clusters}/slow`, { body: clusterBody });
  azure.advance(36_000_000);
  expect((await send("GET", `${clusters}/slow`)).body).toMatchObject({ properties: { provisioningState: "Creating" } });
});

test("M163 a cloud that lags shows a new resource later, and does not create it twice", async () => {
  await changeConditions(azure.inventory, "a", { lagMs: 30_000 });
  expect((await send("PUT", `${addresses}/one`, { body: address })).status).toBe(201);
  expect((await send("GET", `${addresses}/one`)).code).toBe("ResourceNotFound");
  expect((await send("GET", addresses)).body["value"]).toEqual([]);
  const again = await send("PUT", `${addresses}/one`, { body: address, headers: { "if-none-match": "*" } });
  expect(again.status).toBe(412);
  azure.advance(31_000);
  expect((await send("GET", `${addresses}/one`)).status).toBe(200);
  expect((await send("GET", addresses)).body["value"]).toHaveLength(1);
});

test("X021 a throttled cloud says when to retry", async () => {
  await changeConditions(azure.inventory, "a", { throttle: { perSecond: 0, burst: 1 } });
  expect((await send("GET", clusters)).status).toBe(200);
  const refused = await send("GET", clusters);
  expect(refused).toMatchObject({ status: 429, code: "TooManyRequests" });
  expect(refused.headers.get("retry-after")).toBe("1");
});

test("X063 hostile bodies are refused without an internal error", async () => {
  const path = `${clusters}/dev`;
  const deep = `${'{"a":'.repeat(2000)}1${"}".repeat(2000)}`;
  for (const body of ["{", "[]", "null", "1", "\0", deep, '{"properties":[]}', '{"properties":"x"}', "{}"]) {
    const { status, code } = await send("PUT", path, { body });
    expect([400, code]).toEqual([status, expect.stringMatching(/^\w+$/)]);
  }
  expect((await send("PUT", path, { body: { location, tags: { a: "x".repeat(30_000) } } })).status).toBe(413);
  const odd = [
    { agentPoolProfiles: "x" },
    { agentPoolProfiles: [1, null, "x"] },
    { agentPoolProfiles: [{ mode: "System", name: { a: 1 }, count: "many" }] },
    { agentPoolProfiles: [{ mode: "System", name: "a", count: { $ne: 1 } }] },
    { agentPoolProfiles: [{ mode: "System", name: "a", nodeLabels: [1], vmSize: [] }] },
    { kubernetesVersion: ["1.33"], agentPoolProfiles: [{ mode: "System", name: "a" }] },
    { networkProfile: [], agentPoolProfiles: [{ mode: "System", name: "a", __proto__: { x: 1 } }], identity: 1 },
  ];
  for (const properties of odd.slice(0, -1))
    expect((await send("PUT", path, { body: { location, properties } })).status).toBe(400);
  expect((await send("PUT", path, { body: { location, properties: odd.at(-1), tags: "x" } })).status).toBeLessThan(500);
  for (const name of ["%00", "%2e%2e%2f", "a%2Fb", "..", "a".repeat(100), "%ff", "a b"])
    expect((await send("PUT", `${clusters}/${name}`, { body: clusterBody })).status).toBeGreaterThanOrEqual(400);
});

test("X063 a body without a valid token is not read, and a form without a credential has a small limit", async () => {
  const { port } = azure.host;
  const statusOf = (head: string): Promise<number> =>
    new Promise((resolve, reject) => {
      const socket = connect(port, "127.0.0.1", () => socket.write(`${head}\r\n\r\n`));
      socket.once("data", (chunk: Buffer) => {
        resolve(Number(chunk.toString("latin1").split(" ")[1]));
        socket.destroy();
      });
      socket.on("error", reject);
    });
  const path = `/subscriptions/${idsOf("a").subscriptionId}/resourceGroups/rg?api-version=2025-04-01`;
  const announced = "host: x\r\ncontent-length: 19000";
  expect(await statusOf(`PUT ${path} HTTP/1.1\r\n${announced}\r\nauthorization: Bearer a.b.c`)).toBe(401);
  expect(await statusOf(`PUT ${path} HTTP/1.1\r\n${announced}`)).toBe(401);
  const login = `/${idsOf("a").tenantId}/oauth2/v2.0/token`;
  expect(await statusOf(`POST ${login} HTTP/1.1\r\n${announced}`)).toBe(413);
});

test("M163 a change to a resource that somebody else has changed is refused", async () => {
  const made = await send("PUT", `${clusters}/dev`, { body: clusterBody });
  azure.advance(600_000);
  const { body } = await send("GET", `${clusters}/dev`);
  expect(body["eTag"]).toBe(made.body["eTag"]);
  const change = { ...clusterBody, tags: { team: "b" } };
  const put = (headers: Record<string, string>) => send("PUT", `${clusters}/dev`, { body: change, headers });
  expect(await put({ "if-none-match": "*" })).toMatchObject({ status: 412, code: "PreconditionFailed" });
  expect(await put({ "if-match": "old" })).toMatchObject({ status: 412 });
  expect((await put({ "if-match": textOf(body["eTag"]) })).status).toBe(200);
  expect(await put({})).toMatchObject({ status: 409, code: "OperationNotAllowed" });
  azure.advance(600_000);
  expect(await put({ "if-match": textOf(body["eTag"]) })).toMatchObject({ status: 412 });
});
