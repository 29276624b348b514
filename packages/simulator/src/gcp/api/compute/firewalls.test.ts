import { afterEach, beforeEach, expect, test } from "vitest";
import { changeConditions } from "../../../cloud/conditions.ts";
import { openGcp, type GcpClient, type GcpUnderTest } from "../testing/open-gcp.ts";

let gcp: GcpUnderTest;
let call: GcpClient;

const project = "acme-project-1";
const rules = `/compute/v1/projects/${project}/global/firewalls`;
const network = `projects/${project}/global/networks/main`;

beforeEach(async () => {
  gcp = await openGcp();
  await changeConditions(gcp.inventory, "a", { timeScale: 0 });
  call = gcp.connect(await gcp.tokenOf("a"));
  await call("POST", `/compute/v1/projects/${project}/global/networks`, { name: "main", autoCreateSubnetworks: false });
});
afterEach(() => gcp.close());

const allowed = [{ IPProtocol: "tcp", ports: ["22", "8000-8080"] }];
const rule = { name: "ssh", network, description: "d", targetTags: ["web"], sourceRanges: ["10.0.0.0/8"], allowed };

test("M180 a firewall rule is created, replaced as a whole, changed in parts and deleted, and it keeps its network in use", async () => {
  await call("POST", rules, rule);
  expect((await call("GET", `${rules}/ssh`)).body).toMatchObject({
    ...rule,
    network: expect.any(String) as string,
    priority: 1000,
  });
  expect((await call("DELETE", `/compute/v1/projects/${project}/global/networks/main`)).reasons).toEqual([
    "resourceInUseByAnotherResource",
  ]);
  await call("PUT", `${rules}/ssh`, {
    name: "ssh",
    network,
    sourceTags: ["ops"],
    denied: [{ IPProtocol: "all" }],
    priority: 900,
  });
  const { body: replaced } = await call("GET", `${rules}/ssh`);
  expect(replaced).toMatchObject({ sourceTags: ["ops"], denied: [{ IPProtocol: "all" }], priority: 900, direction: "INGRESS" });
  for (const field of ["description", "allowed", "sourceRanges", "targetTags"])
    expect([field, replaced[field]]).toEqual([field, undefined]);
  await call("PATCH", `${rules}/ssh`, { disabled: true });
  expect((await call("GET", `${rules}/ssh`)).body).toMatchObject({ sourceTags: ["ops"], disabled: true });
  await call("DELETE", `${rules}/ssh`);
  expect((await call("GET", `${rules}/ssh`)).reasons).toEqual(["notFound"]);
});

test.each([
  ["a name that is in use", {}, "alreadyExists"],
  ["an unknown network", { name: "x", network: `projects/${project}/global/networks/none` }, "notFound"],
  ["neither allowed nor denied traffic", { name: "x", allowed: [] }, "invalid"],
  ["a protocol that does not exist", { name: "x", allowed: [{ IPProtocol: "carrots" }] }, "invalid"],
  ["ports without a protocol that has them", { name: "x", allowed: [{ IPProtocol: "icmp", ports: ["22"] }] }, "invalid"],
  ["a reversed port range", { name: "x", allowed: [{ IPProtocol: "tcp", ports: ["80-22"] }] }, "invalid"],
  ["a malformed range", { name: "x", sourceRanges: ["10.0.0.0/64"] }, "invalid"],
  ["a malformed tag", { name: "x", sourceTags: ["Not A Tag"] }, "invalid"],
  ["sources of outgoing traffic", { name: "x", direction: "EGRESS" }, "invalid"],
  ["an impossible priority", { name: "x", priority: 70_000 }, "invalid"],
])("M149 a firewall rule with %s is refused", async (_what, change, reason) => {
  await call("POST", rules, rule);
  expect((await call("POST", rules, { ...rule, ...change })).reasons).toEqual([reason]);
  expect(await gcp.inventory.list("a", "google_compute_firewall")).toHaveLength(1);
});

test("M149 firewall rules count against the quota of the project", async () => {
  await changeConditions(gcp.inventory, "a", { quotas: { "firewalls-per-project": 1 } });
  await call("POST", rules, rule);
  expect(await call("POST", rules, { ...rule, name: "other" })).toMatchObject({ status: 403, reasons: ["quotaExceeded"] });
});
