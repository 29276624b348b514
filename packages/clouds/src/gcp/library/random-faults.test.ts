import { chooseSeed, createRandom } from "@cloudwright/platform/testing";
import { expect, test } from "vitest";
import { isCloudFault } from "../../library/errors.ts";
import type { FakeFault } from "../testing/fake-google.ts";
import { refuse } from "../testing/fake-state.ts";
import { clusterRequest, useFakeProject } from "../testing/library-test.ts";

const project = useFakeProject();

const faults: readonly FakeFault["answer"][] = [
  "lost",
  "reset",
  "truncated",
  { status: 200, body: "<html>" },
  refuse(429, "RESOURCE_EXHAUSTED", "slow down", "rateLimitExceeded"),
  refuse(500, "INTERNAL", "internal", "backendError"),
  refuse(503, "UNAVAILABLE", "try later", "backendError"),
];

/** Repeats a call as a program would after a temporary error. */
async function insist<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      if (attempt === 50 || !isCloudFault(error, "throttled", "unavailable", "timeout")) throw error;
    }
  }
}

const first = chooseSeed();
test.each(Array.from({ length: 6 }, (_, index) => first + index))(
  "M149 random faults of every kind create nothing twice and leave nothing behind (seed %i)",
  async (seed) => {
    const random = createRandom(seed).next;
    project.google.chooseFault = () => (random() < 0.3 ? faults[Math.floor(random() * faults.length)] : undefined);
    const gcp = project.open();
    const token = `seed-${seed}`;
    const pool = { name: "more", count: 2 };
    const machine = { name: "vm", image: "debian-12", type: "e2-small", region: "us-central1" };
    await insist(() => gcp.clusters.create(clusterRequest, { token, wait: "ready" }));
    await insist(() => gcp.nodePools.create("my-cluster", pool, { token, wait: "ready" }));
    await insist(() => gcp.nodePools.scale("my-cluster", "more", 6, { wait: "ready" }));
    await insist(() => gcp.upgrade("my-cluster", { version: "1.30" }));
    await insist(() => gcp.instances.create(machine, { token, wait: "ready" }));
    expect([...project.google.state.clusters.keys()]).toEqual(["us-central1/my-cluster"]);
    expect([...project.google.state.instances.keys()]).toEqual(["us-central1-a/vm"]);
    const cluster = await insist(() => gcp.clusters.get("my-cluster"));
    expect(cluster.nodePools.map(({ name, count, version }) => [name, count, version])).toEqual([
      ["default", 3, "1.30.1-gke.100"],
      ["more", 6, "1.30.1-gke.100"],
    ]);
    await insist(() => gcp.instances.stop("vm"));
    await insist(() => gcp.instances.terminate("vm"));
    await insist(() => gcp.nodePools.delete("my-cluster", "more"));
    await insist(() => gcp.clusters.delete("my-cluster"));
    expect(project.google.state.clusters.size + project.google.state.instances.size).toBe(0);
  },
);
