import { chooseSeed, createRandom } from "@cloudwright/platform/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { changeConditions } from "../../cloud/conditions.ts";
import { aksOperations } from "./aks/operations.ts";
import { computeOperations } from "./compute/operations.ts";
import { networkOperations } from "./network/operations.ts";
import { resourceOperations } from "./resources/operations.ts";
import {
  clusterBody,
  createMachine,
  machineBody,
  openAzure,
  type AzureUnderTest,
  type SendRequest,
} from "./testing/open-azure.ts";

const operations = [...resourceOperations, ...aksOperations, ...computeOperations, ...networkOperations];
const seed = chooseSeed();
let azure: AzureUnderTest;
let send: SendRequest;

beforeAll(async () => {
  console.log(`random requests to the Azure API use the seed ${seed}`);
  azure = await openAzure();
  send = await azure.connect("a");
  await changeConditions(azure.inventory, "a", { timeScale: 0 });
  await createMachine(send);
  await send("PUT", "~/providers/Microsoft.ContainerService/managedClusters/dev", { body: clusterBody });
});
afterAll(() => azure.close());

const { below: random, pick } = createRandom(seed);

const names = ["dev", "vm", "vm-nic", "vm-ip", "net", "one", "system", "more", "rg", "", "%00", "%2F..", "é", "x".repeat(300)];
const texts = [
  "",
  "dev",
  "1.33",
  "System",
  "Delete",
  "westeurope",
  "10.1.0.0/24",
  "\u0000",
  "é😀",
  "x".repeat(300),
  "../..",
  "-1",
];
const values = [null, true, false, 0, -1, 1.5, 1e21, Number.MAX_SAFE_INTEGER, [], {}, [null], [{}], [[]], { id: "x" }];

/** Replaces some values of a valid body, so that the request also reaches the code behind the first checks. */
function spoil(value: unknown): unknown {
  if (random(12) === 0) return random(2) === 0 ? pick(texts) : pick(values);
  if (Array.isArray(value)) return value.map(spoil);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(() => random(20) > 0);
  const more: [string, unknown][] =
    random(6) === 0 ? [[pick(["__proto__", "constructor", "", "properties", "tags"]), pick(values)]] : [];
  return Object.fromEntries([...kept.map(([name, each]): [string, unknown] => [name, spoil(each)]), ...more]);
}

const rule = { name: "ssh", properties: { priority: 100, direction: "Inbound", access: "Allow", protocol: "Tcp" } };
const bodies = [
  clusterBody,
  machineBody("/subscriptions/x/nic", "vm"),
  { properties: { count: 1, vmSize: "Standard_D4s_v5", mode: "User", enableAutoScaling: true, minCount: 1, maxCount: 3 } },
  { location: "westeurope", sku: { name: "Standard" }, zones: ["1"], properties: { publicIPAllocationMethod: "Static" } },
  { location: "westeurope", properties: { securityRules: [rule], addressSpace: { addressPrefixes: ["10.0.0.0/8"] } } },
  { location: "westeurope", properties: { ipConfigurations: [{ name: "a", properties: { subnet: { id: "x" } } }] } },
  { location: "westeurope", tags: { a: "b" }, properties: { creationData: { createOption: "Empty" }, diskSizeGB: 1 } },
];

test("X063 random requests get replies from the API, and never cause an internal error", { timeout: 300_000 }, async () => {
  const [own] = (await send("GET", "/subscriptions")).body["value"] as unknown as { subscriptionId: string }[];
  const failed: string[] = [];
  let answered = 0;
  for (let count = 0; count < 1000; count++) {
    const { match } = pick(operations);
    if (!("path" in match)) continue;
    const path = match.path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => {
      if (name === "subscriptionId" && random(20) > 0) return own?.subscriptionId ?? "";
      return name === "resourceGroupName" && random(10) > 0 ? "rg" : pick(names);
    });
    // Deleting the resource group would delete all other resources too.
    if (match.method === "DELETE" && /resourcegroups\/[^/]+$/i.test(path)) continue;
    const query = pick(["", "", "?$top=1&api-version=2025-04-01", "?$filter=x&api-version=2025-04-01", "?$skiptoken=%ff"]);
    const hasBody = match.method === "PUT" || match.method === "PATCH" || match.method === "POST";
    const headers: Record<string, string> = random(8) === 0 ? { "if-match": pick(["*", "x", '"'] as const) } : {};
    const body = hasBody ? JSON.stringify(spoil(pick(bodies))) : undefined;
    const reply = await send(match.method, `${path}${query}`, { headers, ...(body === undefined ? {} : { body }) });
    const isRefused = reply.status >= 400 && match.method !== "HEAD";
    if (reply.status < 400) answered++;
    if (reply.status >= 500 || (isRefused && !/^\w+$/.test(reply.code)))
      failed.push(`${match.method} ${path} ${body ?? ""} gave ${reply.status} ${reply.text.slice(0, 300)}`);
  }
  expect(failed).toEqual([]);
  expect(answered).toBeGreaterThan(100);
});
