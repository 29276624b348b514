import { expect, test } from "vitest";
import type { CallFacts } from "../../library/call-options.ts";
import methods from "../testing/api-methods.json" with { type: "json" };
import { refuse } from "../testing/fake-state.ts";
import { useFakeProject, clusterRequest, faultOf } from "../testing/library-test.ts";

const project = useFakeProject();

const list = "GET container/v1/projects/my-project/locations/-/clusters";

test.each([
  ["auth", "clouds.credentials_refused", refuse(401, "UNAUTHENTICATED", "Request had invalid authentication credentials.")],
  [
    "denied",
    "clouds.not_allowed",
    refuse(403, "PERMISSION_DENIED", 'Required "container.clusters.list" permission.', "forbidden"),
  ],
  ["denied", "clouds.service_disabled", refuse(403, "PERMISSION_DENIED", "API disabled", "accessNotConfigured")],
  ["quota", "clouds.quota", refuse(403, "PERMISSION_DENIED", "Quota exceeded", "quotaExceeded")],
  ["not_found", "clouds.not_found", refuse(404, "NOT_FOUND", "no project", "notFound")],
  [
    "throttled",
    "clouds.throttled",
    refuse(429, "RESOURCE_EXHAUSTED", "Quota exceeded for quota metric 'Reads' per minute", "rateLimitExceeded"),
  ],
  ["throttled", "clouds.throttled", refuse(403, "PERMISSION_DENIED", "Rate Limit Exceeded", "rateLimitExceeded")],
  ["conflict", "clouds.conflict", refuse(409, "ABORTED", "concurrent change", "conflict")],
  ["invalid", "clouds.invalid", refuse(400, "INVALID_ARGUMENT", "bad field", "badRequest")],
  ["unavailable", "clouds.failed", refuse(500, "INTERNAL", "internal", "backendError")],
  ["unavailable", "clouds.failed", refuse(503, "UNAVAILABLE", "try later", "backendError")],
] as const)("M149 %s: a response becomes %s with the cloud's request ID", async (category, code, answer) => {
  project.google.faults.push({ on: list, answer, times: 9 });
  const fault = await faultOf(project.open().clusters.list());
  expect(fault).toMatchObject({
    code,
    extra: { cloud: "gcp", category, status: answer.status, requestId: `request-${answer.status}` },
  });
  const isRetried = category === "throttled" || category === "unavailable";
  expect(project.calls.map(({ attempt }) => attempt)).toEqual(isRetried ? [1, 2, 3, 4] : [1]);
});

test.each([
  ["a reset connection", "reset"],
  ["a truncated body", "truncated"],
  ["a malformed body", { status: 200, body: "<html>maintenance</html>" }],
  ["an error page", { status: 502, body: "<html>bad gateway</html>" }],
] as const)("M149 %s is retried, and reported as unavailable if it persists", async (_what, answer) => {
  project.google.faults.push({ on: list, answer, times: 2 });
  const gcp = project.open();
  expect(await gcp.clusters.list()).toEqual([]);
  project.google.faults.push({ on: list, answer, times: 9 });
  expect((await faultOf(gcp.clusters.list())).extra.category).toBe("unavailable");
});

test("X021 every request is counted under an action that exists in the API", async () => {
  const gcp = project.open();
  await gcp.clusters.create(clusterRequest, { wait: "ready" });
  await gcp.nodePools.scale("my-cluster", "default", 6, { wait: "ready" });
  await gcp.instances.create({ name: "vm", image: "debian-12", type: "e2-small" });
  await gcp.instances.terminate("vm");
  await gcp.clusters.delete("my-cluster");
  const known = new Set(Object.keys(methods));
  for (const { service, action } of project.calls) expect(known.has(`${service}.${action}`), `${service}.${action}`).toBe(true);
  expect(project.calls).toHaveLength(project.google.seen.length);
});

test("X021 a request waits for the budget, and a cancelled wait rejects with the signal's reason", async () => {
  const abort = new AbortController();
  const reason = new Error("cancelled by the user");
  const budget = {
    take: (_call: CallFacts, signal: AbortSignal | undefined) =>
      new Promise<() => void>((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason as Error))),
  };
  const work = project.open({ budget }).clusters.list({ signal: abort.signal });
  setImmediate(() => abort.abort(reason));
  await expect(work).rejects.toBe(reason);
  expect(project.google.seen).toEqual([]);
});

test("M149 a cancelled call rejects with the signal's reason at every point and sends nothing more", async () => {
  const reason = new Error("enough");
  for (let point = 1; point <= 8; point += 1) {
    const abort = new AbortController();
    let taken = 0;
    const budget = {
      async take() {
        taken += 1;
        if (taken === point) abort.abort(reason);
        return () => undefined;
      },
    };
    const name = `c${point}`;
    const work = project.open({ budget }).clusters.create({ ...clusterRequest, name }, { wait: "ready", signal: abort.signal });
    await expect(work, `point ${point}`).rejects.toBe(reason);
    expect(taken).toBe(point);
  }
  await expect(project.open().clusters.list({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
});

test("M149 a wait that never ends is reported as a timeout with the last status", async () => {
  const gcp = project.open();
  await gcp.clusters.create(clusterRequest, { wait: "ready" });
  project.google.state.clusters.set("us-central1/my-cluster", {
    ...project.google.state.clusters.get("us-central1/my-cluster"),
    status: "RECONCILING",
  });
  const statuses: string[] = [];
  const onStatus = (status: string, native: string) => void statuses.push(`${status} ${native}`);
  const fault = await faultOf(gcp.clusters.waitReady("my-cluster", { timeoutMs: 60_000, onStatus }));
  expect(fault).toMatchObject({ code: "clouds.timeout", extra: { category: "timeout" } });
  expect(fault.message).toContain("RECONCILING");
  expect(statuses[0]).toBe("updating RECONCILING");
});

test("M149 a cluster that GKE failed to create is reported with GKE's reason, and is left over", async () => {
  project.google.state.operationErrors.push({
    code: 8,
    message: "Insufficient regional quota to satisfy request: resource CPUS",
  });
  const fault = await faultOf(project.open().clusters.create(clusterRequest, { wait: "ready" }));
  expect(fault).toMatchObject({ code: "clouds.quota", extra: { nativeCode: "RESOURCE_EXHAUSTED", requestId: "operation-1" } });
  project.google.state.clusters.set("us-central1/my-cluster", {
    ...project.google.state.clusters.get("us-central1/my-cluster"),
    status: "ERROR",
    conditions: [{ code: "GCE_STOCKOUT", message: "no capacity in us-central1-a" }],
  });
  const later = await faultOf(project.open().clusters.waitReady("my-cluster"));
  expect(later).toMatchObject({ code: "clouds.quota", extra: { nativeCode: "GCE_STOCKOUT", isCapacity: true } });
});
