import { connect } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { changeConditions } from "../../cloud/conditions.ts";
import { openGcp, type GcpClient, type GcpUnderTest } from "./testing/open-gcp.ts";

let gcp: GcpUnderTest;
let token: string;
let call: GcpClient;

beforeEach(async () => {
  gcp = await openGcp({ limits: { bodyBytes: 100_000 } });
  token = await gcp.tokenOf("a");
  call = gcp.connect(token);
});
afterEach(() => gcp.close());

const project = "acme-project-1";
const clusters = `/v1/projects/${project}/locations/us-central1/clusters`;
const instances = `/compute/v1/projects/${project}/zones/us-central1-a/instances`;
const type = "google_container_cluster";

test("X063 tokens that are missing, forged, truncated or from another cloud are refused in Google Cloud's format", async () => {
  const changed = `${token.slice(0, -3)}${token.endsWith("AAA") ? "BBB" : "AAA"}`;
  for (const bad of [
    "ya29.x",
    "ya29.sim-",
    "ya29.sim-AAAA",
    token.slice(0, -1),
    changed,
    `${token}AAAA`,
    "AKIAEXAMPLE",
    "x.y.z",
  ]) {
    const { status, body, reasons } = await gcp.connect(bad)("GET", clusters);
    expect([status, reasons]).toEqual([401, ["authError"]]);
    expect(body["error"]).toMatchObject({ code: 401, status: "UNAUTHENTICATED" });
  }
  for (const headers of [{}, { authorization: "Basic YTpi" }, { authorization: token }, { authorization: "Bearer" }])
    expect((await fetch(gcp.host.address + clusters, { headers })).status).toBe(401);
});

test("X063 errors carry the ID of the request", async () => {
  const reply = await fetch(`${gcp.host.address}${clusters}/none`, { headers: { authorization: `Bearer ${token}` } });
  expect(reply.headers.get("x-goog-request-id")).toMatch(/^[0-9a-f-]{36}$/);
  expect(await reply.json()).toMatchObject({
    error: { code: 404, status: "NOT_FOUND", details: [{ requestId: expect.stringMatching(/^0x[0-9a-f]{16}$/) as string }] },
  });
  const compute = (await call("GET", `${instances}/none`)).body["error"];
  expect(compute).toMatchObject({ code: 404, errors: [{ reason: "notFound", domain: "global" }] });
  expect(compute).not.toHaveProperty("status");
});

test("X063 a request with a wrong token is refused before its body arrives", async () => {
  const head = `POST ${clusters} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ya29.sim-x\r\ncontent-length: 90000\r\n\r\n`;
  const status = await new Promise((resolve, reject) => {
    const socket = connect(gcp.host.port, "127.0.0.1", () => socket.write(head));
    socket.once("data", (chunk: Buffer) => {
      resolve(chunk.toString("latin1").split(" ")[1]);
      socket.destroy();
    });
    socket.once("error", reject);
  });
  expect(status).toBe("401");
});

test("X063 bodies that are not JSON objects, too deep or too large are refused", async () => {
  const deep = "[".repeat(20_000) + "]".repeat(20_000);
  for (const body of ["{", "[]", "1", '"x"', "null", "\u0000", deep, `{"cluster":${deep}}`, `{"a":${"[0],".repeat(3)}`])
    expect((await call("POST", clusters, body)).status).toBe(400);
  const wide = JSON.stringify({ cluster: { resourceLabels: Array.from({ length: 25_000 }, () => 0) } });
  expect((await call("POST", clusters, wide)).status).toBe(400);
  const large = await fetch(gcp.host.address + clusters, {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
    body: "x".repeat(200_000),
  });
  expect(large.status).toBe(413);
});

test("X063 fields of the wrong type are reported as the caller's mistake", async () => {
  const wrong = [null, 1, "x", [], [1], {}, { a: 1 }, true, -1, 1.5, "\u0000", "__proto__", "a".repeat(5000)];
  for (const value of wrong) {
    for (const cluster of [
      { name: value },
      { name: "dev", nodePools: value },
      { name: "dev", nodePools: [{ name: "a", initialNodeCount: value }] },
      { name: "dev", nodePools: [{ name: "a", initialNodeCount: 1, config: value }] },
      { name: "dev", nodePools: [{ name: "a", initialNodeCount: 1, config: { taints: value, labels: value } }] },
      { name: "dev", initialNodeCount: 1, ipAllocationPolicy: value, releaseChannel: value, network: value },
    ]) {
      const { status } = await call("POST", clusters, { cluster });
      expect([200, 400, 403, 404, 409]).toContain(status);
    }
    const machine = { name: "vm", machineType: value, disks: value, networkInterfaces: value, labels: value, metadata: value };
    expect([400, 404]).toContain((await call("POST", instances, machine)).status);
  }
});

test("X063 names in paths and strange projects do not reach other records", async () => {
  for (const name of ["..%2f..%2fx", "%00", "a%20b", "dev:get", "%", "\u00e9", "a".repeat(3000)])
    expect([400, 404]).toContain((await call("GET", `${clusters}/${name}`)).status);
  for (const strange of ["x", "UPPER-CASE", "..", "%2e%2e", "a/b", "1234567890", "a".repeat(40)])
    expect([403, 404]).toContain((await call("GET", `/v1/projects/${strange}/locations/-/clusters`)).status);
  for (const [method, path] of [
    ["PATCH", clusters],
    ["GET", "/v1/projects"],
    ["POST", "/compute/v1/projects/x"],
    ["GET", `/v1/projects/${project}/locations/us-central1/unknown`],
  ] as const)
    expect((await call(method, path)).status).toBe(404);
});

test("M149 simulated faults become errors, resets and broken replies, by operation and by resource type", async () => {
  const list = () => call("GET", clusters);
  const name = "container.projects.locations.clusters.list";
  await gcp.faults.add({ operation: "call", type: name, kind: "error", message: "backendError: later" });
  expect(await list()).toMatchObject({ status: 503, reasons: ["backendError"] });
  await gcp.faults.add({ operation: "read", type, kind: "error", message: "quotaExceeded: none left" });
  expect(await list()).toMatchObject({ status: 403, reasons: ["quotaExceeded"] });
  for (const kind of ["crash", "truncated", "rubbish"] as const) {
    await gcp.faults.add({ operation: "read", type, kind });
    await expect(list()).rejects.toBeInstanceOf(Error);
  }
  await gcp.faults.add({ operation: "create", type, kind: "hang" });
  const cluster = { name: "dev", initialNodeCount: 1 };
  expect((await call("POST", clusters, { cluster })).status).toBe(200);
  gcp.advance(36_000_000);
  expect((await call("GET", `${clusters}/dev`)).body["status"]).toBe("PROVISIONING");
});

test("X021 a throttled cloud refuses calls with status 429", async () => {
  await changeConditions(gcp.inventory, "a", { throttle: { perSecond: 0, burst: 1 } });
  expect((await call("GET", clusters)).status).toBe(200);
  expect(await call("GET", clusters)).toMatchObject({ status: 429, reasons: ["rateLimitExceeded"] });
  expect((await gcp.connect(await gcp.tokenOf("b"))("GET", clusters)).status).toBe(200);
});
