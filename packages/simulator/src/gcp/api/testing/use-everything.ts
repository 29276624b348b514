import { objectOf, textOf } from "@cloudwright/platform";
import { changeConditions } from "../../../cloud/conditions.ts";
import type { KeyFile } from "../service-account-keys.ts";
import type { GcpClient, GcpReply, GcpUnderTest } from "./open-gcp.ts";
import { requestToken, signAssertion } from "./sign-assertion.ts";

const project = "acme-project-1";
const location = `/v1/projects/${project}/locations/us-central1`;
const zonal = `/v1/projects/${project}/zones/us-central1-a`;
const compute = `/compute/v1/projects/${project}`;
const zone = `${compute}/zones/us-central1-a`;

/** Calls every operation of the simulated services at least once. */
export async function useEverything(gcp: GcpUnderTest): Promise<void> {
  await changeConditions(gcp.inventory, "a", { timeScale: 0.0001 });
  const client = gcp.connect(await gcp.tokenOf("a"));
  const call: GcpClient = async (method, path, body) => {
    const reply = await client(method, path, body);
    if (reply.status !== 200) throw new Error(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
    return reply;
  };
  await useIdentity(gcp, call);
  await useNetworks(call);
  await useMachines(call);
  await useClusters(call);
  await useZonalForms(call);
  const cancelled = await client("POST", `${location}/operations/operation-x:cancel`, {});
  if (cancelled.status !== 400) throw new Error("an operation was cancelled");
}

async function useIdentity({ host }: GcpUnderTest, call: GcpClient): Promise<void> {
  const { options } = await host.issue("a", "gcp");
  const { status } = await requestToken(host.address, signAssertion(options["serviceAccountKey"] as KeyFile));
  if (status !== 200) throw new Error("the token endpoint refused the key");
  await call("POST", "/tokeninfo");
  await call("GET", "/tokeninfo");
  const accounts = `/v1/projects/${project}/serviceAccounts`;
  const { body } = await call("POST", accounts, { accountId: "deployer", serviceAccount: { displayName: "Deployer" } });
  const email = textOf(body["email"]);
  await call("GET", accounts);
  await call("GET", `${accounts}/${email}`);
  const scope = ["https://www.googleapis.com/auth/cloud-platform"];
  await call("POST", `/v1/projects/-/serviceAccounts/${email}:generateAccessToken`, { scope, lifetime: "600s" });
  await call("DELETE", `${accounts}/${email}`);
  await call("GET", `/v1/projects/${project}`);
  await call("POST", `/v1/projects/${project}:testIamPermissions`, { permissions: ["container.clusters.get"] });
  await call("POST", `/v1/projects/${project}:getIamPolicy`, {});
  await call("GET", `/v1/projects/${project}/services:batchGet?names=projects/${project}/services/compute.googleapis.com`);
  await call("GET", `/v1/projects/${project}/services/compute.googleapis.com`);
}

/** Starts a change and waits for its operation. */
async function finish(call: GcpClient, method: string, path: string, body?: unknown): Promise<GcpReply["body"]> {
  const { body: operation } = await call(method, path, body);
  const link = new URL(textOf(operation["selfLink"])).pathname;
  for (let tries = 0; tries < 1000; tries++) {
    const { body: now } = await call("GET", link);
    if (now["status"] === "DONE") return now;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`${method} ${path} did not end`);
}

async function useNetworks(call: GcpClient): Promise<void> {
  const networks = `${compute}/global/networks`;
  const subnets = `${compute}/regions/us-central1/subnetworks`;
  await finish(call, "POST", networks, { name: "main", autoCreateSubnetworks: false, description: "d", mtu: 1460 });
  const secondaryIpRanges = [{ rangeName: "pods", ipCidrRange: "10.4.0.0/14" }];
  const network = `projects/${project}/global/networks/main`;
  await finish(call, "POST", subnets, { name: "main", network, ipCidrRange: "10.0.0.0/20", secondaryIpRanges });
  for (const path of [networks, `${networks}/main`, subnets, `${subnets}/main`, `${compute}/aggregated/subnetworks`])
    await call("GET", path);
  const firewalls = `${compute}/global/firewalls`;
  const allowed = [{ IPProtocol: "tcp", ports: ["22"] }];
  await finish(call, "POST", firewalls, { name: "ssh", network, sourceRanges: ["10.0.0.0/8"], targetTags: ["web"], allowed });
  await finish(call, "PUT", `${firewalls}/ssh`, { name: "ssh", network, sourceTags: ["ops"], targetTags: ["web"], allowed });
  await finish(call, "PATCH", `${firewalls}/ssh`, { priority: 800 });
  for (const path of [firewalls, `${firewalls}/ssh`]) await call("GET", path);
  await finish(call, "DELETE", `${firewalls}/ssh`);
  await finish(call, "DELETE", `${subnets}/main`);
  const { body } = await call("DELETE", `${networks}/main`);
  await call("POST", `${new URL(textOf(body["selfLink"])).pathname}/wait`);
  for (const scope of ["global", "regions/us-central1", "zones/us-central1-a"])
    await call("GET", `${compute}/${scope}/operations`);
}

async function useMachines(call: GcpClient): Promise<void> {
  for (const path of [
    "",
    "/regions",
    "/regions/us-central1",
    "/zones",
    "/zones/us-central1-a",
    "/zones/us-central1-a/machineTypes?maxResults=3",
    "/zones/us-central1-a/machineTypes/e2-small",
    `/aggregated/machineTypes?filter=${encodeURIComponent('(name = "c3-standard-22") OR (name = "e2-small")')}`,
  ])
    await call("GET", compute + path);
  const images = "/compute/v1/projects/debian-cloud/global/images";
  const { body: image } = await call("GET", `${images}/family/debian-12`);
  await call("GET", `${images}/${textOf(image["name"])}`);
  await call("GET", images);

  await finish(call, "POST", `${zone}/disks`, { name: "data", sizeGb: "20", type: "pd-ssd", labels: { a: "b" } });
  await finish(call, "POST", `${zone}/disks/data/setLabels`, { labels: { a: "c" }, labelFingerprint: "" });
  for (const path of [`${zone}/disks`, `${zone}/disks/data`, `${compute}/aggregated/disks`]) await call("GET", path);

  const machine = `${zone}/instances/vm`;
  await finish(call, "POST", `${zone}/instances?requestId=11111111-2222-4333-8444-555555555555`, {
    name: "vm",
    machineType: "zones/us-central1-a/machineTypes/e2-small",
    description: "d",
    labels: { a: "b" },
    tags: { items: ["web"] },
    metadata: { items: [{ key: "user-data", value: "#!/bin/sh" }] },
    disks: [
      { boot: true, autoDelete: true, initializeParams: { sourceImage: textOf(image["selfLink"]), diskSizeGb: "12" } },
      { source: `projects/${project}/zones/us-central1-a/disks/data` },
    ],
    networkInterfaces: [{ network: "global/networks/default", accessConfigs: [{ type: "ONE_TO_ONE_NAT" }] }],
    serviceAccounts: [{ email: "default", scopes: ["https://www.googleapis.com/auth/cloud-platform"] }],
    scheduling: { preemptible: true },
    shieldedInstanceConfig: { enableSecureBoot: true },
  });
  for (const path of [`${zone}/instances`, `${compute}/aggregated/instances`, `${machine}/serialPort`]) await call("GET", path);
  const read = async (): Promise<GcpReply["body"]> => (await call("GET", machine)).body;
  await finish(call, "POST", `${machine}/setLabels`, {
    labels: { a: "c" },
    labelFingerprint: (await read())["labelFingerprint"],
  });
  const { fingerprint: tags } = objectOf((await read())["tags"]);
  await finish(call, "POST", `${machine}/setTags`, { items: ["db"], fingerprint: tags });
  const { fingerprint: metadata } = objectOf((await read())["metadata"]);
  await finish(call, "POST", `${machine}/setMetadata`, { items: [{ key: "k", value: "v" }], fingerprint: metadata });
  await finish(call, "POST", `${zone}/disks`, { name: "more", sizeGb: "10" });
  await finish(call, "POST", `${zone}/disks/more/resize`, { sizeGb: "20" });
  const source = `projects/${project}/zones/us-central1-a/disks/more`;
  await finish(call, "POST", `${machine}/attachDisk`, { source, deviceName: "more" });
  await finish(call, "POST", `${machine}/detachDisk?deviceName=more`);
  await finish(call, "DELETE", `${zone}/disks/more`);
  await finish(call, "POST", `${machine}/setDeletionProtection?deletionProtection=false`);
  for (const verb of ["reset", "suspend", "resume", "stop"]) await finish(call, "POST", `${machine}/${verb}`);
  await finish(call, "POST", `${machine}/setMachineType`, { machineType: "zones/us-central1-a/machineTypes/e2-medium" });
  await finish(call, "POST", `${machine}/start`);
  const { body: deletion } = await call("DELETE", machine);
  await call("POST", `${new URL(textOf(deletion["selfLink"])).pathname}/wait`);
  await finish(call, "DELETE", `${zone}/disks/data`);
  const { body: made } = await call("POST", `${compute}/regions/us-central1/subnetworks`, {
    name: "lone",
    network: (await finish(call, "POST", `${compute}/global/networks`, { name: "lone", autoCreateSubnetworks: false }))[
      "targetLink"
    ],
    ipCidrRange: "10.9.0.0/24",
  });
  await call("POST", `${new URL(textOf(made["selfLink"])).pathname}/wait`);
}

async function useClusters(call: GcpClient): Promise<void> {
  const clusters = `${location}/clusters`;
  const cluster = `${clusters}/dev`;
  await call("GET", `${location}/serverConfig`);
  await finish(call, "POST", clusters, {
    cluster: {
      name: "dev",
      initialClusterVersion: "1.33",
      resourceLabels: { a: "b" },
      locations: ["us-central1-a", "us-central1-b"],
      controlPlaneEndpointsConfig: {
        ipEndpointsConfig: {
          enabled: true,
          enablePublicEndpoint: false,
          authorizedNetworksConfig: { enabled: true, cidrBlocks: [{ cidrBlock: "10.0.0.0/8" }] },
        },
      },
      nodePools: [
        {
          name: "first",
          initialNodeCount: 1,
          config: { machineType: "e2-standard-4", labels: { a: "b" }, taints: [{ key: "k", value: "v", effect: "NO_SCHEDULE" }] },
          autoscaling: { enabled: true, totalMinNodeCount: 1, totalMaxNodeCount: 4, locationPolicy: "ANY" },
        },
      ],
    },
  });
  for (const path of [clusters, cluster, `${location}/operations`]) await call("GET", path);
  await finish(call, "POST", `${cluster}:updateMaster`, { masterVersion: "1.34" });
  await finish(call, "PUT", cluster, { update: { desiredReleaseChannel: { channel: "RAPID" } } });
  await finish(call, "POST", `${cluster}:setLocations`, { locations: ["us-central1-a"] });
  const { labelFingerprint } = (await call("GET", cluster)).body;
  await finish(call, "POST", `${cluster}:setResourceLabels`, { resourceLabels: { c: "d" }, labelFingerprint });
  const pools = `${cluster}/nodePools`;
  const nodePool = { name: "second", initialNodeCount: 1, config: { accelerators: [] } };
  await finish(call, "POST", pools, { nodePool });
  await call("GET", pools);
  const { body: pool } = await call("GET", `${pools}/second`);
  const [url = ""] = pool["instanceGroupUrls"] as readonly string[];
  await call("GET", new URL(url).pathname);
  await call("GET", `${zone}/instanceGroupManagers`);
  await finish(call, "POST", `${pools}/second:setSize`, { nodeCount: 2 });
  await finish(call, "POST", `${pools}/second:setAutoscaling`, {
    autoscaling: { enabled: true, minNodeCount: 1, maxNodeCount: 3 },
  });
  await finish(call, "POST", `${pools}/second:setManagement`, { management: { autoRepair: false, autoUpgrade: false } });
  await finish(call, "PUT", `${pools}/second`, { labels: { labels: { tier: "b" } } });
  await finish(call, "DELETE", `${pools}/second`);
  await finish(call, "DELETE", cluster);
}

/** The forms with a zone, which older clients use. */
async function useZonalForms(call: GcpClient): Promise<void> {
  const clusters = `${zonal}/clusters`;
  await call("GET", `${zonal}/serverconfig`);
  const { body } = await call("POST", clusters, { cluster: { name: "old", initialNodeCount: 1 } });
  for (let tries = 0; tries < 1000; tries++) {
    if ((await call("GET", `${zonal}/operations/${textOf(body["name"])}`)).body["status"] === "DONE") break;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  for (const path of [clusters, `${clusters}/old`, `${clusters}/old/nodePools`, `${clusters}/old/nodePools/default-pool`])
    await call("GET", path);
  await call("GET", `${zonal}/operations`);
  await finish(call, "PUT", `${clusters}/old`, { update: { desiredLoggingService: "none" } });
  await finish(call, "POST", `${clusters}/old/nodePools`, { nodePool: { name: "more", initialNodeCount: 1 } });
  await finish(call, "DELETE", `${clusters}/old/nodePools/more`);
  await finish(call, "DELETE", `${clusters}/old`);
}
