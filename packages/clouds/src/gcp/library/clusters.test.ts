import { expect, test } from "vitest";
import { parse } from "yaml";
import { refuse } from "../testing/fake-state.ts";
import { useFakeProject, clusterRequest, faultOf } from "../testing/library-test.ts";

const project = useFakeProject();

test("M140 a cluster that stays after a failed creation is named in the message, with the call that deletes it", async () => {
  project.google.state.operationErrors.push({ code: 8, message: "Insufficient quota" });
  const failed = project.open().clusters.create(clusterRequest, { wait: "ready" });
  const path = "projects/my-project/locations/us-central1/clusters/my-cluster";
  await expect(failed).rejects.toMatchObject({ left: [expect.stringContaining(path)] });
  await expect(failed).rejects.toThrow(`delete it with clusters.delete("${path}")`);
});

test("M140 the machine type is not checked if the credentials do not allow it", async () => {
  const answer = refuse(403, "PERMISSION_DENIED", "Required 'compute.machineTypes.get' permission");
  project.google.faults.push({ on: "/machineTypes/e2-standard-4", answer, times: 100 });
  expect(await project.open().clusters.create(clusterRequest, { wait: "ready" })).toMatchObject({ status: "running" });
});

test("M141 a cluster requested in a region is created there although the client has a default zone, and is found again by name", async () => {
  const gcp = project.open();
  const accepted = await gcp.clusters.create(clusterRequest);
  // GKE returns only an operation. The library returns the cluster that it reads afterwards.
  expect(accepted).toMatchObject({
    id: "projects/my-project/locations/us-central1/clusters/my-cluster",
    name: "my-cluster",
    cloud: "gcp",
    region: "us-central1",
    location: "us-central1",
    version: "1.29.9-gke.1000",
    status: "creating",
    nativeStatus: "PROVISIONING",
  });
  expect(accepted.endpoint).toBeUndefined();
  const ready = await gcp.clusters.waitReady("my-cluster");
  expect(ready).toMatchObject({ status: "running", endpoint: "https://203.0.113.10", certificateAuthority: "Y2E=" });
  expect(ready.nodePools).toMatchObject([
    {
      name: "default",
      count: 3,
      status: "running",
      types: ["e2-standard-4"],
      zones: ["us-central1-a", "us-central1-b", "us-central1-c"],
      nodeSelector: "cloud.google.com/gke-nodepool=default",
    },
  ]);
  expect(project.sent("/locations/us-central1/clusters")[0]?.body).toMatchObject({
    cluster: { nodePools: [{ initialNodeCount: 1 }] },
  });
  expect(project.calls.filter(({ isMutating }) => isMutating)).toEqual([
    { service: "container", action: "projects.locations.clusters.create", isMutating: true, attempt: 1 },
  ]);
});

test("M141 nodeCount is the total over all zones", async () => {
  const spread = async (nodeCount: number) => {
    const name = `c${nodeCount}`;
    const { nodePools } = await project.open().clusters.create({ ...clusterRequest, name, nodeCount }, { wait: "ready" });
    return { count: nodePools[0]?.count, zones: nodePools[0]?.zones.length };
  };
  expect(await spread(1)).toEqual({ count: 1, zones: 1 });
  expect(await spread(2)).toEqual({ count: 2, zones: 2 });
  expect(await spread(4)).toEqual({ count: 4, zones: 2 });
  expect(await spread(5)).toEqual({ count: 5, zones: 1 });
  expect(await spread(9)).toEqual({ count: 9, zones: 3 });
  expect(await spread(0)).toEqual({ count: 0, zones: 3 });
});

test("M141 a cluster without a region is created in the client's zone", async () => {
  const { name, nodeCount } = clusterRequest;
  const cluster = await project.open().clusters.create({ name, nodeCount }, { wait: "ready" });
  expect(cluster).toMatchObject({ location: "us-central1-a", region: "us-central1", version: "1.29.3-gke.100" });
  expect(cluster.nodePools).toMatchObject([{ count: 3, zones: ["us-central1-a"] }]);
  expect(project.sent("/zones")).toEqual([]);
});

test("M028 a cluster is found by every form of ID that users may have", async () => {
  const gcp = project.open();
  await gcp.clusters.create(clusterRequest);
  const path = "projects/my-project/locations/us-central1/clusters/my-cluster";
  const refs = [
    "my-cluster",
    path,
    `https://container.googleapis.com/v1/${path}`,
    `https://container.googleapis.com/v1beta1/projects/my-project/zones/us-central1/clusters/my-cluster`,
    `//container.googleapis.com/${path}`,
    "gke_my-project_us-central1_my-cluster",
  ];
  for (const ref of refs) expect((await gcp.clusters.get(ref)).id).toBe(path);
  expect((await gcp.clusters.list()).find(({ name }) => name === "my-cluster")?.id).toBe(path);
  expect(await gcp.clusters.list({ region: "us-central1" })).toHaveLength(1);
  expect(await gcp.clusters.list({ region: "us-central1-a" })).toHaveLength(0);
  expect(await gcp.clusters.list({ region: "europe-west1" })).toHaveLength(0);
  expect(await gcp.clusters.find("nothing")).toBeUndefined();
  expect((await faultOf(gcp.clusters.get("nothing"))).code).toBe("clouds.not_found");
  for (const bad of ["", "../../x", "My Cluster", "projects/p/locations/l/clusters/..", "a/b", "a".repeat(41)])
    expect((await faultOf(gcp.clusters.get(bad))).code).toBe("clouds.invalid");
});

test("M028 a name in two locations is refused with both IDs, and a zone that does not respond is not mistaken for a missing cluster", async () => {
  const gcp = project.open();
  await gcp.clusters.create(clusterRequest);
  await gcp.clusters.create({ name: "my-cluster", zone: "us-central1-b" });
  const fault = await faultOf(gcp.clusters.get("my-cluster"));
  expect(fault.code).toBe("clouds.invalid");
  expect(fault.message).toContain("locations/us-central1-b/clusters/my-cluster");
  project.google.state.missingZones.push("us-central1-f");
  expect((await faultOf(gcp.clusters.find("other"))).extra.category).toBe("unavailable");
  expect((await faultOf(gcp.clusters.delete("other"))).extra.category).toBe("unavailable");
  expect((await faultOf(gcp.clusters.list({ region: "us-central1" }))).extra.category).toBe("unavailable");
  expect(await gcp.clusters.list({ region: "europe-west1" })).toEqual([]);
});

test("M147 a kubeconfig runs Google's plug-in or contains a token, and is refused while there is no endpoint", async () => {
  const gcp = project.open();
  await gcp.clusters.create(clusterRequest);
  expect((await faultOf(gcp.clusters.kubeconfig("my-cluster"))).code).toBe("clouds.conflict");
  await gcp.clusters.waitReady("my-cluster");
  const exec = parse(await gcp.clusters.kubeconfig("my-cluster")) as Kubeconfig;
  expect(exec["current-context"]).toBe("gke_my-project_us-central1_my-cluster");
  expect(exec.clusters[0]?.cluster).toEqual({ server: "https://203.0.113.10", "certificate-authority-data": "Y2E=" });
  expect(exec.users[0]?.user).toMatchObject({ exec: { command: "gke-gcloud-auth-plugin", provideClusterInfo: true } });
  const token = parse(await gcp.clusters.kubeconfig("my-cluster", { mode: "token" })) as Kubeconfig;
  expect(token.users[0]?.user).toEqual({ token: "token-1" });
});

test("M141 a deletion waits for a change in progress, leaves nothing behind, and can be repeated", async () => {
  const gcp = project.open();
  await gcp.clusters.create(clusterRequest);
  // The cluster is still being created, so GKE rejects the first deletion.
  await gcp.clusters.delete("my-cluster");
  expect(project.google.state.clusters.size).toBe(0);
  await gcp.clusters.delete("my-cluster");
  await gcp.clusters.delete("projects/my-project/locations/us-central1/clusters/my-cluster");
});

test("M149 requests that cannot succeed are refused before anything is sent", async () => {
  const gcp = project.open();
  const bad = [
    { ...clusterRequest, name: "My_Cluster" },
    { ...clusterRequest, version: "newest" },
    { ...clusterRequest, nodeCount: -1 },
    { ...clusterRequest, nodeCount: 1.5 },
    { ...clusterRequest, region: "us-central1/../x" },
    { ...clusterRequest, region: "us-central1", zone: "europe-west1-b" },
    { ...clusterRequest, subnets: ["a", "b"] },
    { ...clusterRequest, pool: { min: 5, max: 2 } },
    { ...clusterRequest, pool: { zones: ["us-central1-a", "us-central1-b"] } },
    { ...clusterRequest, endpointAccess: { public: false, private: false } },
  ];
  for (const each of bad) {
    const fault = await faultOf(gcp.clusters.create(each));
    expect(fault).toMatchObject({ code: "clouds.invalid", extra: { category: "invalid" } });
  }
  expect(project.google.seen.filter(({ method }) => method !== "GET")).toEqual([]);
  const offered = await faultOf(gcp.clusters.create({ ...clusterRequest, version: "1.12" }));
  expect(offered.message).toContain("1.30");
});

interface Kubeconfig {
  readonly "current-context": string;
  readonly clusters: readonly { readonly cluster: object }[];
  readonly users: readonly { readonly user: object }[];
}
