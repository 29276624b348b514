import { getKind, immutablePaths, isEntityKind, methods, type JsonObject, type Kind } from "@cloudwright/contract";
import { defaultCloud, getCloud, isCloudName } from "@cloudwright/contract/clouds";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestApi, type TestApi } from "../testing/test-api.ts";
import { setAt } from "./json-tree.ts";
import { collectionPath, renderEntity, seedProject, type Seeds } from "../testing/seed-project.ts";

const project = "life";
const creatable = kindsWith("create");

let api: TestApi;
let seeds: Seeds;

beforeAll(async () => {
  api = await startTestApi();
  await api.createProject(project);
  seeds = await seedProject(api, project, { suffix: "seed", user: await api.createPerson("ada") });
});
afterAll(() => api.close());

function kindsWith(verb: string): Kind[] {
  return methods.filter((method) => method.verb === verb && isEntityKind(method.kind)).map(({ kind }) => getKind(kind));
}

function pathOf(kind: string, name = ""): string {
  return `${collectionPath(kind, project, seeds)}${name === "" ? "" : `/${name}`}`;
}

async function create(kind: string, name: string): ReturnType<TestApi["must"]> {
  return api.must("POST", pathOf(kind), { body: renderEntity(kind, name, seeds) });
}

describe("M020 M021 M022 M023 M029 each kind can be created and read:", () => {
  test.each(creatable)("$kind", async ({ kind, scope, provisioned }) => {
    const created = await create(kind, "made");
    const { metadata, status } = created.body;
    expect([created.status, created.headers.location]).toEqual([provisioned ? 202 : 201, pathOf(kind, "made")]);
    expect(created.headers.etag).toBe(`"${metadata.resourceVersion}"`);
    expect(metadata).toMatchObject({ name: "made", project: scope === "project" ? project : "", generation: 1, paused: false });
    expect(metadata.createdAt).toBe(metadata.updatedAt);
    expect(status).toMatchObject({ phase: provisioned ? "PENDING" : "RUNNING", observedGeneration: 0, conditions: [] });

    const byName = await api.must("GET", pathOf(kind, "made"));
    const byUid = await api.must("GET", pathOf(kind, metadata.uid));
    const { key: _shownOnce, ...lasting } = status;
    // Lists that are read from other entities.
    const listed = kind === "Environment" ? { members: [] } : kind === "Inventory" ? { claims: [] } : {};
    expect(byName.body).toEqual({ ...created.body, status: { ...lasting, ...listed } });
    expect([byUid.text, byUid.headers.etag]).toEqual([byName.text, created.headers.etag]);
    const { items } = (await api.must("GET", `${pathOf(kind)}?filter=metadata.name=made`)).body;
    expect(items).toEqual([byName.body]);
  });
});

describe("M025 each kind can be changed:", () => {
  test.each(kindsWith("update"))("$kind", async ({ kind }) => {
    await create(kind, "changed");
    const path = pathOf(kind, "changed");
    const before = await api.must("GET", path);
    const stored = await api.countStored();
    for (const method of ["PUT", "PATCH"]) {
      const same = await api.must(method, path, { body: before.body as unknown as JsonObject });
      expect(same.body.metadata).toEqual(before.body.metadata);
    }
    await api.must("PATCH", path, { body: {} });
    expect(await api.countStored()).toEqual(stored);

    // A changed label starts a run for kinds whose labels become tags of cloud resources.
    const [labelledOnce, labelledTwice] = getKind(kind).labelsAreTags === true ? [2, 3] : [1, 1];
    const labelled = await api.must("PATCH", path, { body: { metadata: { labels: { tier: "prod" } } } });
    expect(labelled.body.metadata).toMatchObject({
      labels: { tier: "prod" },
      generation: labelledOnce,
      createdAt: before.body.metadata.createdAt,
    });
    expect(Number(labelled.body.metadata.resourceVersion)).toBeGreaterThan(Number(before.body.metadata.resourceVersion));
    expect(labelled.body.spec).toEqual(before.body.spec);
    const annotated = await api.must("PATCH", `${path}?updateMask=metadata.annotations`, {
      body: { metadata: { annotations: { why: "test" }, labels: { ignored: "yes" } } },
    });
    expect(annotated.body.metadata).toMatchObject({
      labels: { tier: "prod" },
      annotations: { why: "test" },
      generation: labelledOnce,
    });
    const replaced = await api.must("PUT", path, { body: renderEntity(kind, "changed", seeds) });
    expect(replaced.body.metadata).toMatchObject({ labels: {}, annotations: {}, generation: labelledTwice });
    expect((await api.must("GET", path)).body.metadata).toEqual(replaced.body.metadata);
  });
});

/**
 * Renders an entity in the cloud that the tested field belongs to, and creates its account and network there. Fields that belong to no
 * cloud are tested in the default cloud.
 */
async function renderInCloud(cloud: string, kind: string, name: string): Promise<JsonObject> {
  if (!isCloudName(cloud) || cloud === defaultCloud) return renderEntity(kind, name, seeds);
  const parent = `${cloud}-${kind.toLowerCase()}-${name}`;
  const place = { account: parent, region: getCloud(cloud).regions.default };
  const account = { [cloud]: {}, simulated: getCloud(cloud).isOwn !== true };
  await api.must("POST", pathOf("Account"), { body: { metadata: { name: parent }, spec: account } });
  if (kind === "Network") return { metadata: { name }, spec: place };
  await api.must("POST", pathOf("Network"), { body: { metadata: { name: parent }, spec: place } });
  // Some clouds refuse instances without an SSH key.
  const keys = kind === "Instance" ? { sshKeys: [seeds.get("SshKey")?.name ?? ""] } : {};
  return { metadata: { name }, spec: { network: parent, ...keys } };
}

describe("M025 fields that are fixed at creation cannot change:", () => {
  const fixed = kindsWith("update").flatMap(({ kind }) => (immutablePaths[kind] ?? []).map((path) => ({ kind, path })));

  test.each(fixed)("$kind $path", async ({ kind, path }) => {
    const name = `fixed-${path.at(-1)?.toLowerCase()}`;
    const example = await renderInCloud(path[1] ?? "", kind, name);
    const isDisk = kind === "Storage" && path.includes("volume");
    const body = isDisk ? setAt(example, ["spec", "bucket"], undefined) : example;
    const given = isDisk ? setAt(body, ["spec", "volume"], { sizeGib: 1, zone: "a" }) : body;
    await api.must("POST", pathOf(kind), { body: given });
    const other: JsonObject | string = path.includes("existing")
      ? { id: "vpc-1" }
      : path.join().includes("idr")
        ? "172.16.0.0/16"
        : "other";
    const before = await api.countStored();
    const answer = await api.call("PATCH", pathOf(kind, name), { body: setAt({}, path, other) });
    expect([answer.status, answer.body.code]).toEqual([400, "api.invalid"]);
    expect(answer.body.fields.map(({ field }) => field)).toContain(path.join("."));
    expect(await api.countStored()).toEqual(before);
  });

  test("the name and the cloud", async () => {
    await create("Account", "fixed-cloud");
    const answers = [
      await api.call("PATCH", pathOf("Account", "fixed-cloud"), { body: { metadata: { name: "other" } } }),
      await api.call("PUT", pathOf("Account", "fixed-cloud"), { body: { spec: { simulated: true, gcp: {} } } }),
    ];
    expect(answers.map(({ status, body }) => [status, body.fields[0]?.field])).toEqual([
      [400, "metadata.name"],
      [400, "spec"],
    ]);
  });
});

describe("M025 a change", () => {
  test("of the spec or of labels that become tags increases generation and resourceVersion, of annotations only the latter", async () => {
    const { body: first } = await create("Cluster", "counted");
    const path = pathOf("Cluster", "counted");
    const { body: second } = await api.must("PATCH", path, { body: { spec: { workers: 3 } } });
    const { body: third } = await api.must("PATCH", path, { body: { metadata: { labels: { a: "b" } } } });
    const { body: fourth } = await api.must("PATCH", path, { body: { metadata: { annotations: { a: "b" } } } });
    expect([first, second, third, fourth].map(({ metadata }) => metadata.generation)).toEqual([1, 2, 3, 3]);
    const versions = [first, second, third, fourth].map(({ metadata }) => Number(metadata.resourceVersion));
    expect(versions).toEqual(versions.toSorted((a, b) => a - b));
    expect(new Set(versions).size).toBe(4);
    expect(third.status).toEqual(first.status);
  });

  test("by PATCH merges, by PUT replaces, by mask changes the named fields", async () => {
    await create("Cluster", "merged");
    const path = pathOf("Cluster", "merged");
    const merged = await api.must("PATCH", path, { body: { spec: { endpoint: { public: true } } } });
    expect(merged.body.spec).toMatchObject({ workers: 2, endpoint: { public: true } });
    const cleared = await api.must("PATCH", path, { body: { spec: { workers: null, endpoint: null } } });
    expect([cleared.body.spec["workers"], cleared.body.spec["endpoint"]]).toEqual([undefined, undefined]);
    const masked = await api.must("PATCH", `${path}?updateMask=spec.workers,metadata.labels`, {
      body: { metadata: { labels: { a: "b" } }, spec: { workers: 5, version: "1.33" } },
    });
    expect(masked.body.spec).toMatchObject({ workers: 5, version: "1.34" });
    const unset = await api.must("PATCH", `${path}?updateMask=spec.workers`, { body: {} });
    expect([unset.body.spec["workers"], unset.body.metadata.labels]).toEqual([undefined, { a: "b" }]);
  });

  test.each(["spec.colour", "status.phase", "kind", "spec..workers", "metadata.labels.a", "__proto__"])(
    "of the masked field %s is rejected",
    async (mask) => {
      const answer = await api.call("PATCH", `${pathOf("Cluster", "cluster-seed")}?updateMask=${mask}`, { body: {} });
      expect([answer.status, answer.body.fields[0]?.field]).toEqual([400, "updateMask"]);
    },
  );

  test("of fields that the server writes is ignored", async () => {
    const path = pathOf("Environment", "environment-seed");
    const before = await api.must("GET", path);
    const metadata = {
      generation: 9,
      createdAt: "2000-01-01T00:00:00Z",
      project: "default",
      paused: true,
      deletedAt: "2000-01-01T00:00:00Z",
    };
    const after = await api.must("PATCH", path, { body: { metadata, status: { phase: "FAILED", message: "mine" } } });
    expect(after.body.metadata).toEqual(before.body.metadata);
    expect(after.body.status["phase"]).toBe("RUNNING");
  });

  test("in a dry run stores nothing and returns the result", async () => {
    const before = await api.countStored();
    const query = "dryRun=true";
    const created = await api.must("POST", `${pathOf("Network")}?${query}`, { body: renderEntity("Network", "tried", seeds) });
    expect([created.status, created.body.metadata.name]).toEqual([200, "tried"]);
    const updated = await api.must("PATCH", `${pathOf("Cluster", "cluster-seed")}?${query}`, { body: { spec: { workers: 7 } } });
    expect([updated.body.spec["workers"], updated.body.metadata.generation]).toEqual([7, 2]);
    await api.must("DELETE", `${pathOf("NodePool", "nodepool-seed")}?${query}`);
    const taken = await api.call("POST", `${pathOf("Network")}?${query}`, {
      body: renderEntity("Network", "network-seed", seeds),
    });
    expect([taken.status, taken.body.code]).toEqual([409, "store.exists"]);
    expect(await api.countStored()).toEqual(before);
  });
});

describe("X012 M030 work on an entity", () => {
  test.each(kindsWith("pause"))(
    "of kind $kind can be paused and resumed, and repeating the call changes nothing",
    async ({ kind }) => {
      const path = pathOf(kind, kind === "Project" ? project : `${kind.toLowerCase()}-seed`);
      const paused = await api.must("POST", `${path}:pause`, { body: {} });
      expect(paused.body.metadata.paused).toBe(true);
      const before = await api.countStored();
      expect((await api.must("POST", `${path}:pause`, {})).body).toEqual(paused.body);
      expect(await api.countStored()).toEqual(before);
      expect(
        (await api.must("PATCH", path, { body: { metadata: { annotations: { still: "paused" } } } })).body.metadata.paused,
      ).toBe(true);
      const resumed = await api.must("POST", `${path}:resume`, { body: {} });
      expect(resumed.body.metadata).toMatchObject({ paused: false, generation: paused.body.metadata.generation });
      expect(resumed.body.status).toEqual(paused.body.status);
    },
  );
});

test("M025 node pools have names that are unique within their cluster", async () => {
  await create("Cluster", "second");
  const [first, second] = ["cluster-seed", "second"].map((name) => `/v1/projects/${project}/clusters/${name}/nodepools`);
  const uids = [];
  for (const path of [first, second])
    uids.push((await api.must("POST", path ?? "", { body: { metadata: { name: "same" } } })).body.metadata.uid);
  expect(uids[0]).not.toBe(uids[1]);
  expect((await api.must("GET", `${second}/same`)).body.metadata.uid).toBe(uids[1]);
  expect((await api.call("GET", `${second}/${uids[0]}`)).status).toBe(404);
  expect((await api.must("GET", second ?? "")).body.items).toHaveLength(1);
});

test("M009 nothing is created under a project's uid, where no list would show it", async () => {
  const { uid = "" } = (await api.must("GET", `/v1/projects/${project}`)).body.metadata;
  const before = await api.countStored();
  const answer = await api.call("POST", `/v1/projects/${uid}/environments`, { body: { metadata: { name: "lost" } } });
  expect([answer.status, answer.body.code]).toEqual([404, "api.not_found"]);
  expect(await api.countStored()).toEqual(before);
});
