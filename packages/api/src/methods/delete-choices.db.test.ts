import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { seedProject } from "../testing/seed-project.ts";
import { enqueueTask, setOperationState } from "../testing/work.ts";
import { startTestApi, type Person, type TestApi } from "../testing/test-api.ts";

const project = "choosy";
const base = `/v1/projects/${project}`;
const path = `${base}/clusters/dev`;

let api: TestApi;
let vera: Person;

beforeAll(async () => {
  api = await startTestApi();
  await api.createProject(project);
  vera = await api.createPerson("vera", [{ project, role: "viewer" }]);
  await seedProject(api, project, { suffix: "seed", user: await api.createPerson("ada", [{ project, role: "admin" }]) });
});
afterAll(() => api.close());
beforeEach(async () => {
  await api.call("DELETE", `${path}?cascade=true`);
  const body = { metadata: { name: "dev" }, spec: { network: "network-seed" } };
  await api.must("POST", `${base}/clusters`, { body });
});

test("X082 a preview of a deletion starts an operation that is not the cluster's own, and deletes nothing", async () => {
  const before = (await api.must("GET", path)).body;
  const answer = await api.call("DELETE", `${path}?preview=true&volumes=retain`);
  expect(answer.status).toBe(202);
  const name = answer.headers["operation-location"]?.toString() ?? "";
  const { spec } = (await api.must("GET", name)).body;
  expect(spec).toMatchObject({ verb: "preview", deletion: true, candidate: { claimVolumes: "retain" } });
  const after = (await api.must("GET", path)).body;
  expect([after.metadata.operation, after.metadata.deletedAt, after.spec]).toEqual([
    before.metadata.operation,
    undefined,
    before.spec,
  ]);
});

test("X082 a preview runs the checks of the deletion, requires its role, and is available for all kinds with cloud resources", async () => {
  expect((await api.call("DELETE", `${path}?preview=true`, { key: vera.key })).status).toBe(403);
  await api.must("POST", `${path}/nodepools`, { body: { metadata: { name: "p" }, spec: { min: 0, desired: 0, max: 1 } } });
  expect((await api.call("DELETE", `${path}?preview=true`)).body.code).toBe("api.has_children");
  expect((await api.call("DELETE", `${path}?preview=true&cascade=true`)).status).toBe(202);
  await api.must("PATCH", path, { body: { metadata: { deletionProtection: true } } });
  expect((await api.call("DELETE", `${path}?preview=true&cascade=true`)).body.code).toBe("api.protected");
  await api.must("PATCH", path, { body: { metadata: { deletionProtection: false } } });
  expect((await api.call("DELETE", `${base}/networks/network-seed?preview=true&cascade=true`)).status).toBe(202);
  expect((await api.call("DELETE", `${base}/accounts/account-seed?preview=true`)).status).toBe(400);
  // The cluster's runs build its pools, so the operation belongs to the cluster.
  const answer = await api.call("DELETE", `${path}/nodepools/p?preview=true`);
  expect([answer.status, answer.body.metadata.name]).toEqual([202, "p"]);
  const { spec } = (await api.must("GET", answer.headers["operation-location"]?.toString() ?? "")).body;
  expect(spec).toMatchObject({ entityKind: "Cluster", deletion: true, candidateKind: "NodePool", candidateName: "p" });
  expect((await api.call("DELETE", `${path}/nodepools/p?preview=true`, { key: vera.key })).status).toBe(403);
  expect((await api.call("DELETE", `${path}?cascade=true&volumes=burn`)).status).toBe(400);
});

test("X082 the choice for volumes is stored with the cluster, even in a cascade, and a deletion in progress keeps its choice", async () => {
  const entity = (await api.must("GET", path)).body;
  await enqueueTask(api, entity);
  expect((await api.call("DELETE", `${base}/accounts/account-seed?cascade=true&volumes=retain`)).status).toBe(202);
  const marked = (await api.must("GET", path)).body;
  expect([marked.metadata.deletedAt, marked.spec["claimVolumes"]]).toEqual([expect.stringContaining("T"), "retain"]);
  expect((await api.must("GET", `${base}/networks/network-seed`)).body.spec["claimVolumes"]).toBeUndefined();
  expect((await api.call("DELETE", `${path}?volumes=delete`)).body.code).toBe("api.being_deleted");
  expect((await api.call("DELETE", `${path}?volumes=retain`)).status).toBe(202);
  const previewed = await api.call("DELETE", `${path}?cascade=true&preview=true&volumes=delete`);
  expect([previewed.status, previewed.headers["operation-location"]]).toEqual([200, undefined]);
  expect((await api.must("GET", path)).body.spec["claimVolumes"]).toBe("retain");
  const operation = (await api.must("GET", `${base}/operations/${marked.metadata.operation}`)).body;
  await setOperationState(api, operation.metadata.uid ?? "", "FAILED");
  // After a failure, the deletion can be repeated with a different choice for the volumes. No other field can change.
  expect((await api.call("DELETE", `${path}?volumes=delete`)).body.spec["claimVolumes"]).toBe("delete");
  expect((await api.call("PATCH", path, { body: { spec: { claimVolumes: "retain" } } })).body.spec["claimVolumes"]).toBe(
    "retain",
  );
  expect((await api.call("PATCH", path, { body: { spec: { workers: 9 } } })).body.code).toBe("api.being_deleted");
});
