import { chooseSeed, createRandom } from "@cloudwright/platform/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { changeConditions } from "../../cloud/conditions.ts";
import { services } from "./gcp-api.ts";
import { openGcp, type GcpClient, type GcpUnderTest } from "./testing/open-gcp.ts";

const seed = chooseSeed();
let gcp: GcpUnderTest;
let call: GcpClient;

beforeAll(async () => {
  console.log(`random requests to Google Cloud's API use the seed ${seed}`);
  gcp = await openGcp();
  await changeConditions(gcp.inventory, "a", { timeScale: 0 });
  call = gcp.connect(await gcp.tokenOf("a"));
});
afterAll(() => gcp.close());

const { below: random, pick } = createRandom(seed);

const fields = (
  "cluster nodePool nodePools update name initialNodeCount nodeCount config machineType labels taints taint key value effect resourceLabels " +
  "labelFingerprint autoscaling enabled minNodeCount maxNodeCount totalMaxNodeCount management autoRepair locations network subnetwork " +
  "ipAllocationPolicy releaseChannel channel masterVersion nodeVersion initialClusterVersion desiredLocations desiredReleaseChannel " +
  "desiredMasterVersion masterAuthorizedNetworksConfig cidrBlocks disks boot source initializeParams sourceImage diskSizeGb sizeGb type " +
  "networkInterfaces accessConfigs metadata items fingerprint tags scheduling preemptible serviceAccounts scopes ipCidrRange " +
  "secondaryIpRanges rangeName autoCreateSubnetworks mtu routingConfig permissions accountId serviceAccount scope lifetime " +
  "accelerators acceleratorCount maxPodsConstraint maxPodsPerNode __proto__ constructor"
).split(" ");
const texts = [
  "",
  "-",
  "dev",
  "first",
  "vm",
  "default",
  "us-central1",
  "us-central1-a",
  "europe-west1-b",
  "e2-small",
  "zones/us-central1-a/machineTypes/e2-small",
  "projects/debian-cloud/global/images/family/debian-12",
  "projects/acme-project-1/global/networks/dev",
  "1.33",
  "latest",
  "10.0.0.0/20",
  "NO_SCHEDULE",
  "REGULAR",
  "600s",
  "../x",
  "%2e%2e",
  "x".repeat(300),
  "\u0000",
  "ünï",
];

function createValue(depth: number): unknown {
  switch (random(depth > 3 ? 6 : 9)) {
    case 0:
      return null;
    case 1:
      return pick([0, 1, -1, 2.5, 1e20, 100]);
    case 2:
      return random(2) === 0;
    case 3:
    case 4:
    case 5:
      return pick(texts);
    case 6:
      return Array.from({ length: random(3) }, () => createValue(depth + 1));
    default:
      return Object.fromEntries(Array.from({ length: random(6) }, () => [pick(fields), createValue(depth + 1)]));
  }
}

/** Valid bodies that the test modifies at random. Completely random bodies would rarely get past the first check. */
const bodies: readonly Readonly<Record<string, unknown>>[] = [
  { cluster: { name: "dev", nodePools: [{ name: "first", initialNodeCount: 1, config: { machineType: "e2-medium" } }] } },
  { nodePool: { name: "first", initialNodeCount: 1 } },
  {
    name: "vm",
    machineType: "zones/us-central1-a/machineTypes/e2-small",
    disks: [{ boot: true, autoDelete: true, initializeParams: { sourceImage: texts[11] } }],
    networkInterfaces: [{ network: "global/networks/default" }],
  },
  { name: "dev", autoCreateSubnetworks: false },
  { name: "dev", network: texts[12], ipCidrRange: "10.0.0.0/20" },
  { labels: { a: "b" }, nodeCount: 2, masterVersion: "1.34", nodeVersion: "1.34" },
];

function change(value: unknown): unknown {
  if (random(8) === 0) return createValue(1);
  if (Array.isArray(value)) return value.map(change);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).map(([name, each]) => [name, change(each)] as const);
  return Object.fromEntries([...kept, ...(random(4) === 0 ? [[pick(fields), createValue(1)] as const] : [])]);
}

const usual: Readonly<Record<string, readonly string[]>> = {
  project: ["acme-project-1", "acme-project-1", "debian-cloud", "-"],
  location: ["us-central1", "us-central1-a", "-"],
  zone: ["us-central1-a"],
  region: ["us-central1"],
  cluster: ["dev"],
  pool: ["first", "default-pool"],
  instance: ["vm"],
};

test("X063 random requests never cause an internal error", { timeout: 600_000 }, async () => {
  const operations = Object.values(services).flat();
  const statuses = new Map<number, number>();
  for (let count = 0; count < 3000; count++) {
    const { match, name } = pick(operations);
    if (!("path" in match)) continue;
    const path = match.path.replaceAll(/\{(\w+)\}/g, (_all, parameter: string) =>
      encodeURIComponent(random(6) === 0 ? pick(texts) : pick(usual[parameter] ?? ["dev", "vm"])),
    );
    const query =
      random(4) === 0 ? `?${pick(["filter", "maxResults", "pageToken", "requestId"])}=${encodeURIComponent(pick(texts))}` : "";
    const hasBody = match.method === "POST" || match.method === "PUT";
    const body = hasBody ? (random(3) === 0 ? createValue(0) : change(pick(bodies))) : undefined;
    const { status } = await call(match.method, path + query, hasBody ? JSON.stringify(body ?? null) : undefined);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    expect([200, 400, 401, 403, 404, 409, 412], `${name} ${path}${query} ${JSON.stringify(body)}`).toContain(status);
  }
  expect(statuses.get(200) ?? 0).toBeGreaterThan(100);
});
