import { methods, type Method } from "@cloudwright/contract";
import { createUid, systemClock } from "@cloudwright/platform";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Person, TestApi } from "../testing/test-api.ts";
import type { EventStream } from "../testing/event-stream.ts";
import { listRestRequests } from "../testing/method-requests.ts";
import { collectionPath, getSeed, seedProject, type Seeds } from "../testing/seed-project.ts";
import { startTwoProjects } from "../testing/two-projects.ts";

let api: TestApi;
let ada: Person;
let bob: Person;
let ours: Seeds;
let theirs: Seeds;

beforeAll(async () => {
  ({ api, ada, bob, ours, theirs } = await startTwoProjects());
});
afterAll(() => api.close());

test("M009 no list contains entities from another project or keys of other users", async () => {
  const lists = allowed("list");
  for (const method of lists) {
    const { status, text } = await api.call("GET", pathOf(method), { key: ada.key });
    expect([method.id, status]).toEqual([method.id, 200]);
    for (const { uid } of theirs.values()) expect(text).not.toContain(uid);
    expect(text).not.toContain("theirs");
  }
  expect(lists.map(({ kind }) => kind)).toEqual(expect.arrayContaining(["Project", "ApiKey", "Event", "AuditRecord", "Cluster"]));
});

test("M009 a user without roles lists no projects, and each tenant lists only its own", async () => {
  const eve = await api.createPerson("eve");
  const names = async (key: string): Promise<(string | undefined)[]> =>
    (await api.must("GET", "/v1/projects", { key })).body.items.map(({ metadata }) => metadata.name);
  expect(await names(eve.key)).toEqual([]);
  expect(await names(ada.key)).toEqual(["ours"]);
  expect(await names(bob.key)).toEqual(["theirs"]);
  expect(await names(api.adminKey)).toEqual(["default", "ours", "system", "theirs"]);
});

test("M009 listing below a parent in another project gives the same response as below a missing parent", async () => {
  const missing = createUid(systemClock.now());
  for (const [kind, parent] of [
    ["Network", "Account"],
    ["Cluster", "Network"],
    ["Storage", "Cluster"],
    ["Instance", "Network"],
    ["SecurityGroup", "Network"],
    ["Volume", "Account"],
    ["Inventory", "Account"],
  ] as const) {
    const seed = getSeed(theirs, parent);
    for (const [given, unknown] of [
      [seed.name, "nobody-made-this"],
      [seed.uid, missing],
    ] as const) {
      const path = collectionPath(kind, "ours", ours);
      const answer = await api.call("GET", `${path}?parent=${given}`, { key: ada.key });
      const control = await api.call("GET", `${path}?parent=${unknown}`, { key: ada.key });
      expect([answer.status, answer.body.code]).toEqual([404, "api.not_found"]);
      expect(answer.body.detail).toBe(control.body.detail.replace(unknown, given));
    }
  }
});

test("M009 a page token from another project's list is rejected like a made-up token", async () => {
  await api.must("POST", "/v1/projects/theirs/environments", { key: bob.key, body: { metadata: { name: "second" } } });
  const page = await api.must("GET", "/v1/projects/theirs/environments?pageSize=1", { key: bob.key });
  const token = page.body.nextPageToken;
  const path = "/v1/projects/ours/environments?pageSize=1&pageToken=";
  const answer = await api.call("GET", path + token, { key: ada.key });
  const control = await api.call("GET", `${path}bm9ib2R5`, { key: ada.key });
  expect([answer.status, answer.body.code, answer.body.detail]).toEqual([400, "api.bad_page_token", control.body.detail]);
});

test("M009 X002 a watch does not receive changes in other projects", async () => {
  const watches = allowed("watch");
  const streams: EventStream[] = [];
  for (const method of watches) {
    const stream = await api.watch(pathOf(method), { key: ada.key });
    await stream.until(({ type }) => type === "SYNCED");
    streams.push(stream);
  }
  const [theirProject, ourProject] = ["/v1/projects/theirs", "/v1/projects/ours"];
  await seedProject(api, "theirs", { suffix: "later", user: bob });
  await api.must("PATCH", theirProject, { key: bob.key, body: { metadata: { labels: { seen: "no" } } } });
  await api.must("DELETE", `${theirProject}/accounts/account-later?cascade=true`, { key: bob.key });

  await seedProject(api, "ours", { suffix: "later", user: ada });
  await api.must("POST", collectionPath("NodePool", "ours", ours), { key: ada.key, body: { metadata: { name: "pool-later" } } });
  await api.must("PATCH", ourProject, { key: ada.key, body: { metadata: { labels: { last: "yes" } } } });
  for (const [index, stream] of streams.entries()) {
    const kind = watches[index]?.kind;
    const isLast = kind === "*" || kind === "Project" ? isLastOfProject : isLater;
    const seen = await stream.until(({ data }) => isLast(data.object.metadata));
    expect([kind, JSON.stringify(seen).includes("theirs")]).toEqual([kind, false]);
    stream.close();
  }
});

function isLastOfProject(metadata: { labels?: Record<string, string> }): boolean {
  return metadata.labels?.["last"] === "yes";
}

function isLater(metadata: { name?: string }): boolean {
  return metadata.name?.endsWith("-later") === true;
}

/** Returns all methods with this verb that a project owner may call. */
function allowed(verb: string): Method[] {
  return methods.filter((method) => method.verb === verb && !method.platform);
}

function pathOf(method: Method): string {
  const parent = method.kind === "NodePool" ? getSeed(ours, "Cluster").name : "";
  const name = ours.get(method.kind)?.name ?? "";
  const [request] = listRestRequests(method, { project: "ours", parent, name, entity: {} });
  return request?.path ?? "";
}
