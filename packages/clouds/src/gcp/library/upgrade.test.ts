import { expect, test } from "vitest";
import { useFakeProject, clusterRequest, faultOf } from "../testing/library-test.ts";

const project = useFakeProject();

test("M146 the offered versions are listed newest first", async () => {
  const versions = await project.open().availableVersions({ region: "us-central1" });
  expect(versions.map(({ version }) => version)).toEqual([
    "1.30.1-gke.100",
    "1.29.9-gke.1000",
    "1.29.9-gke.200",
    "1.29.3-gke.100",
    "1.28.1-gke.1",
  ]);
  expect(versions.filter(({ isDefault }) => isDefault)).toMatchObject([
    { version: "1.29.3-gke.100", minor: "1.29", support: "standard" },
  ]);
  expect(versions.at(-1)).toMatchObject({ support: "extended" });
});

test("M146 an upgrade brings the control plane and then the pools to the version, and a repeated call continues", async () => {
  const gcp = project.open();
  await gcp.clusters.create({ ...clusterRequest, version: "1.29.3" }, { wait: "ready" });
  await gcp.nodePools.create("my-cluster", { name: "more", count: 1 }, { wait: "ready" });
  const order: string[] = [];
  const stop = new Error("stop");
  const interrupted = gcp.upgrade("my-cluster", {
    version: "1.30",
    async beforePool({ name }) {
      order.push(name);
      if (name === "more") throw stop;
    },
  });
  await expect(interrupted).rejects.toBe(stop);
  expect(order).toEqual(["default", "more"]);
  const done = await gcp.upgrade("my-cluster", { version: "v1.30" });
  expect(done.version).toBe("1.30.1-gke.100");
  expect(done.nodePools.map(({ version }) => version)).toEqual(["1.30.1-gke.100", "1.30.1-gke.100"]);
  expect(project.sent(":updateMaster")).toHaveLength(1);
  const before = project.google.seen.length;
  await gcp.upgrade("my-cluster", { version: "1.30" });
  expect(project.google.seen.slice(before).every(({ method }) => method === "GET")).toBe(true);
  expect((await faultOf(gcp.upgrade("my-cluster", { version: "1.29" }))).code).toBe("clouds.invalid");
});

test("M146 an upgrade by two minor versions or of a missing pool is refused, and one that GKE aborts is reported", async () => {
  const gcp = project.open();
  await gcp.clusters.create({ ...clusterRequest, version: "1.28" }, { wait: "ready" });
  expect((await faultOf(gcp.upgrade("my-cluster", { version: "1.30" }))).code).toBe("clouds.invalid");
  expect((await faultOf(gcp.upgrade("my-cluster", { version: "1.29", pools: ["none"] }))).code).toBe("clouds.invalid");
  project.google.state.operationErrors.push({ code: 13, message: "internal error" });
  const fault = await faultOf(gcp.upgrade("my-cluster", { version: "1.29", pools: "control-plane" }));
  expect(fault).toMatchObject({
    extra: { category: "unavailable", nativeCode: "INTERNAL", requestId: expect.stringMatching(/^operation-/) as unknown },
  });
});
