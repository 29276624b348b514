import { afterAll, beforeAll, expect, test } from "vitest";
import { openGoogle, project, region, type OpenGoogle } from "./testing/open-google.ts";

let google: OpenGoogle;
beforeAll(async () => {
  google = await openGoogle();
});
afterAll(async () => {
  await google.server.close();
});

test("X010 leftover resources of a GKE cluster are found and removed, while those of other clusters and of Terraform are kept", async () => {
  const { resources } = google.server;
  const at = (id: string): string => `projects/${project}/${id}`;
  const put = (id: string, resource: Readonly<Record<string, unknown>> = {}) => resources.set(at(id), resource);
  const service = JSON.stringify({ "kubernetes.io/service-name": "shop/web" });
  put("global/firewalls/k8s-fw-a1", { targetTags: ["gke-dev-1a2b3c4d-node"], description: service });
  put("global/firewalls/k8s-fw-a2", { targetTags: ["gke-dev-2-1a2b3c4d-node"], description: service });
  put("global/firewalls/user", { targetTags: ["gke-dev-1a2b3c4d-node"] });
  put(`regions/${region}/forwardingRules/a1`, { description: service });
  put(`regions/${region}/forwardingRules/a2`, { description: service });
  put(`regions/${region}/targetPools/a1`);
  put(`regions/${region}/addresses/a1`, { addressType: "EXTERNAL", description: service });
  put(`regions/${region}/addresses/reserved`, { addressType: "EXTERNAL" });
  put("global/healthChecks/a1");
  const labels = { "goog-k8s-cluster-name": "dev" };
  put(`zones/${region}-b/disks/pvc-1`, { labels });
  put(`zones/${region}-b/disks/pvc-2`, { labels, labelFingerprint: "f" });
  put(`zones/${region}-b/disks/pvc-3`, { labels: { "goog-k8s-cluster-name": "dev-2" } });
  put(`zones/${region}-b/disks/pvc-4`, { labels: { ...labels, cloudwright_entity: "mine" } });
  put(`zones/${region}-b/disks/gke-dev-pool-1`, { labels: { ...labels, "goog-k8s-node-pool-name": "pool" } });
  const { leftovers } = google.open();
  await leftovers.retain(at(`zones/${region}-b/disks/pvc-2`));
  await leftovers.retain(at(`zones/${region}-b/disks/pvc-2`));
  await leftovers.retain(at(`zones/${region}-b/disks/gone`));
  const found = await leftovers.list("dev");
  expect(found).toEqual([
    { type: "google_compute_forwarding_rule", id: at(`regions/${region}/forwardingRules/a1`) },
    { type: "google_compute_address", id: at(`regions/${region}/addresses/a1`) },
    { type: "google_compute_target_pool", id: at(`regions/${region}/targetPools/a1`) },
    { type: "google_compute_health_check", id: at("global/healthChecks/a1") },
    { type: "google_compute_firewall", id: at("global/firewalls/k8s-fw-a1") },
    { type: "google_compute_disk", id: at(`zones/${region}-b/disks/pvc-1`) },
  ]);
  for (const leftover of [...found, ...found]) await leftovers.remove(leftover);
  expect(await leftovers.list("dev")).toEqual([]);
  expect((await leftovers.list("dev-2")).map(({ id }) => id)).toEqual([
    at(`regions/${region}/forwardingRules/a2`),
    at("global/firewalls/k8s-fw-a2"),
    at(`zones/${region}-b/disks/pvc-3`),
  ]);
  for (const name of ["pvc-2", "pvc-4", "gke-dev-pool-1"])
    expect(resources.has(at(`zones/${region}-b/disks/${name}`))).toBe(true);
});

test("X010 a leftover that is still in use is reported with the reason, and the removal waits for the operation", async () => {
  const { answers, seen } = google.server;
  const id = `projects/${project}/zones/${region}-b/disks/pvc-9`;
  const operation = {
    name: "op-1",
    status: "RUNNING",
    selfLink: `https://www.googleapis.com/compute/v1/projects/${project}/zones/${region}-b/operations/op-1`,
  };
  answers.set(`DELETE compute/v1/${id}`, operation);
  const error = { errors: [{ code: "RESOURCE_IN_USE_BY_ANOTHER_RESOURCE", message: "The disk is used by an instance" }] };
  answers.set(`POST compute/v1/projects/${project}/zones/${region}-b/operations/op-1/wait`, {
    ...operation,
    status: "DONE",
    error,
  });
  const { leftovers } = google.open();
  const refused = leftovers.remove({ type: "google_compute_disk", id });
  await expect(refused).rejects.toMatchObject({
    code: "clouds.failed",
    message: expect.stringContaining("used by an instance") as string,
  });
  expect(seen.at(-1)?.path).toContain("/wait");
  await expect(leftovers.remove({ type: "google_compute_disk", id: "../../secrets" })).rejects.toThrow(
    "is not a Compute Engine resource",
  );
});
