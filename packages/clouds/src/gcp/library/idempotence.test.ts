import { expect, test } from "vitest";
import { useFakeProject, clusterRequest, faultOf } from "../testing/library-test.ts";

const project = useFakeProject();

test("M162 a lost response does not create a second cluster, pool or machine", async () => {
  const gcp = project.open();
  for (const on of ["/locations/us-central1/clusters", "/nodePools", "/zones/us-central1-a/instances"])
    project.google.faults.push({ on, answer: "lost", times: 1 });
  await gcp.clusters.create(clusterRequest, { wait: "ready" });
  await gcp.nodePools.create("my-cluster", { name: "more", count: 2 }, { wait: "ready" });
  await gcp.instances.create({ name: "vm", image: "debian-12", type: "e2-small" });
  expect(project.google.state.clusters.size).toBe(1);
  expect([...project.google.state.clusters.values()][0]?.nodePools).toHaveLength(2);
  expect(project.google.state.instances.size).toBe(1);
  expect(project.calls.some(({ attempt }) => attempt > 1)).toBe(true);
});

test("M162 a repeated call with the same token returns the first call's resources, and another call is refused", async () => {
  const gcp = project.open();
  const token = "run-1";
  const first = await gcp.clusters.create(clusterRequest, { token });
  expect((await gcp.clusters.create(clusterRequest, { token })).id).toBe(first.id);
  expect(await faultOf(gcp.clusters.create(clusterRequest))).toMatchObject({
    code: "clouds.conflict",
    extra: { category: "conflict" },
  });
  await gcp.clusters.waitReady("my-cluster");
  const pool = { name: "more", count: 1 };
  await gcp.nodePools.create("my-cluster", pool, { token });
  expect((await gcp.nodePools.create("my-cluster", pool, { token })).name).toBe("more");
  expect((await faultOf(gcp.nodePools.create("my-cluster", pool))).code).toBe("clouds.conflict");
  const machine = { name: "vm", image: "ubuntu-24.04", type: "e2-small", region: "us-central1" };
  const made = await gcp.instances.create(machine, { token });
  expect((await project.open({ zone: "us-central1-f" }).instances.create(machine, { token })).id).toBe(made.id);
  expect((await project.open({ region: "us-central1" }).instances.create(machine, { token })).id).toBe(made.id);
  expect((await faultOf(gcp.instances.create(machine))).code).toBe("clouds.conflict");
  expect(project.google.state.instances.size).toBe(1);
});
