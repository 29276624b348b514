import type { EntityJson } from "@cloudwright/contract";
import { prune } from "@cloudwright/store";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startTestApi, type TestApi } from "../testing/test-api.ts";
import type { StreamEvent } from "../testing/event-stream.ts";

let api: TestApi;
let project: string;
let agents: string;
let made = 0;

beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

beforeEach(async () => {
  made += 1;
  project = `p-${made}`;
  agents = `/v1/projects/${project}/agents`;
  await api.createProject(project);
});

async function create(name: string, labels: Record<string, string> = {}): Promise<string> {
  return (await api.must("POST", agents, { body: { metadata: { name, labels } } })).body.metadata.resourceVersion ?? "";
}

async function patch(name: string, description: string): Promise<string> {
  const { metadata } = (await api.must("PATCH", `${agents}/${name}`, { body: { spec: { description } } })).body;
  return metadata.resourceVersion ?? "";
}

async function label(name: string, labels: Record<string, string | null>): Promise<void> {
  await api.must("PATCH", `${agents}/${name}`, { body: { metadata: { labels } } });
}

function isSynced({ type }: StreamEvent): boolean {
  return type === "SYNCED";
}

function isOf(name: string): (event: StreamEvent) => boolean {
  return ({ data }) => data.object.metadata.name === name;
}

/**
 * Returns the events that are newer than a list. A watch may repeat changes that the list already contains, because a transaction may still
 * have been open when the list was read.
 */
function newerThan(items: readonly EntityJson[], events: readonly StreamEvent[]): StreamEvent[] {
  const known = new Map(items.map(({ metadata }) => [metadata.uid, Number(metadata.resourceVersion)]));
  return events.filter(({ data: { object } }) => Number(object.metadata.resourceVersion) > (known.get(object.metadata.uid) ?? 0));
}

function describeEvents(events: readonly StreamEvent[]): string[] {
  return events.map(({ type, data }) => `${type} ${data.object.metadata.name ?? ""}`.trim());
}

describe("X002 a watch", () => {
  test("sends existing entities, marks their end, then sends every change as it is committed", async () => {
    for (const name of ["a", "b"]) await create(name);
    const stream = await api.watch(`${agents}?watch=true`);
    const existing = describeEvents(await stream.until(isSynced));
    expect([existing.at(-1), existing.slice(0, -1).toSorted()]).toEqual(["SYNCED", ["ADDED a", "ADDED b"]]);
    await create("c");
    const version = await patch("a", "changed");
    await api.must("DELETE", `${agents}/b`);
    const seen = await stream.until(({ type }) => type === "DELETED");
    stream.close();
    expect(describeEvents(seen)).toEqual(["ADDED c", "MODIFIED a", "DELETED b"]);
    expect(seen[1]?.data).toMatchObject({
      kind: "Agent",
      object: { spec: { description: "changed" }, metadata: { resourceVersion: version } },
    });
    for (const { id, data } of seen) expect(id).toBe(data.resourceVersion);
  });

  test("gives no position to resume from before all existing entities were sent", async () => {
    await create("a");
    const stream = await api.watch(`${agents}?watch=true`);
    const [existing, synced] = await stream.until(isSynced);
    stream.close();
    expect([existing?.id, synced?.id]).toEqual(["", synced?.data.resourceVersion]);
  });

  test("of a project includes all its kinds and their events", async () => {
    const stream = await api.watch(`/v1/projects/${project}/watch`);
    await stream.until(isSynced);
    await create("a");
    await api.must("POST", `/v1/projects/${project}/environments`, { body: { metadata: { name: "staging" } } });
    await api.must("PATCH", `/v1/projects/${project}`, { body: { metadata: { labels: { last: "yes" } } } });
    const seen = await stream.until(({ data }) => data.kind === "Project");
    stream.close();
    expect(seen.map(({ type, data }) => `${type} ${data.kind}`)).toEqual([
      "ADDED Agent",
      "ADDED Event",
      "ADDED Environment",
      "ADDED Event",
      "MODIFIED Project",
    ]);
    expect(seen[1]?.data.object).toMatchObject({ reason: "Created", kind: "Agent", name: "a", actor: "admin" });
  });

  test("by labels reports entities that gain the labels as added and those that lose them as deleted", async () => {
    for (const [name, tier] of [
      ["in", "prod"],
      ["out", "dev"],
    ] as const)
      await create(name, { tier });
    const stream = await api.watch(`${agents}?watch=true&labelSelector=tier%3Dprod`);
    expect(describeEvents(await stream.until(isSynced))).toEqual(["ADDED in", "SYNCED"]);
    await patch("out", "not seen");
    await label("out", { tier: "prod" });
    await patch("out", "seen");
    await label("in", { tier: null });
    await patch("in", "no longer visible");
    await api.must("DELETE", `${agents}/in`);
    await api.must("DELETE", `${agents}/out`);
    await create("last", { tier: "prod" });
    const seen = await stream.until(isOf("last"));
    stream.close();
    expect(describeEvents(seen)).toEqual(["ADDED out", "MODIFIED out", "DELETED in", "DELETED out", "ADDED last"]);
  });

  test("of a kind below a parent sees only that parent's entities", async () => {
    const base = `/v1/projects/${project}`;
    await api.must("POST", `${base}/accounts`, { body: { metadata: { name: "a" }, spec: { simulated: true, aws: {} } } });
    await api.must("POST", `${base}/networks`, { body: { metadata: { name: "n" }, spec: { account: "a" } } });
    for (const name of ["one", "two"]) {
      await api.must("POST", `${base}/clusters`, { body: { metadata: { name }, spec: { network: "n" } } });
    }
    const stream = await api.watch(`${base}/clusters/one/nodepools?watch=true`);
    await stream.until(isSynced);
    for (const cluster of ["two", "one"]) {
      await api.must("POST", `${base}/clusters/${cluster}/nodepools`, { body: { metadata: { name: `of-${cluster}` } } });
    }
    expect(describeEvents(await stream.until(isOf("of-one")))).toEqual(["ADDED of-one"]);
    stream.close();
  });
});

describe("X002 a watch resumes", () => {
  test("from a list, and misses nothing after it", async () => {
    await create("a");
    const { resourceVersion, items } = (await api.must("GET", agents)).body;
    await patch("a", "while away");
    await create("b");
    const stream = await api.watch(`${agents}?watch=true&resourceVersion=${resourceVersion}`);
    expect(describeEvents(newerThan(items, await stream.until(isOf("b"))))).toEqual(["MODIFIED a", "ADDED b"]);
    stream.close();
  });

  test("from an event, in the query or as browsers do", async () => {
    const first = await api.watch(`${agents}?watch=true`);
    await first.until(isSynced);
    await create("a");
    const [event] = await first.until(isOf("a"));
    first.close();
    await create("b");
    const { id = "" } = event ?? {};
    for (const [query, headers] of [
      [`&resourceVersion=${id}`, {}],
      ["", { "last-event-id": id }],
    ] as const) {
      const stream = await api.watch(`${agents}?watch=true${query}`, { headers });
      expect(describeEvents(await stream.until(isOf("b")))).toEqual(["ADDED b"]);
      stream.close();
    }
  });

  test("from the end of the existing entities", async () => {
    await create("a");
    const first = await api.watch(`${agents}?watch=true`);
    const existing = await first.until(isSynced);
    first.close();
    await create("b");
    const stream = await api.watch(`${agents}?watch=true&resourceVersion=${existing.at(-1)?.id}`);
    const known = existing.map(({ data }) => data.object);
    expect(describeEvents(newerThan(known, await stream.until(isOf("b"))))).toEqual(["ADDED b"]);
    stream.close();
  });

  test("from an entity's own resourceVersion", async () => {
    await create("a");
    const version = await patch("a", "first");
    await patch("a", "second");
    const stream = await api.watch(`${agents}?watch=true&resourceVersion=${version}`);
    const [event] = await stream.until(isOf("a"));
    stream.close();
    expect(event?.data.object.spec["description"]).toBe("second");
  });

  test("with labels, as if it had never been interrupted", async () => {
    await create("a", { tier: "prod" });
    const { resourceVersion, items } = (await api.must("GET", agents)).body;
    await label("a", { tier: "dev" });
    await create("b", { tier: "prod" });
    const stream = await api.watch(`${agents}?watch=true&labelSelector=tier%3Dprod&resourceVersion=${resourceVersion}`);
    expect(describeEvents(newerThan(items, await stream.until(isOf("b"))))).toEqual(["DELETED a", "ADDED b"]);
    stream.close();
  });

  test("not from a position that was pruned, but from a new list", async () => {
    const version = await create("a");
    const old = (await api.must("GET", agents)).body.resourceVersion;
    await patch("a", "newer");
    const [past, future] = ["1970-01-01T00:00:00Z", "2999-01-01T00:00:00Z"];
    for (const position of [version, old]) {
      // Pruning keeps a change while an open transaction could still commit an earlier one, so the test retries.
      const resume = async (): Promise<string> => {
        await prune(api.pool, { changes: future, idempotency: past, now: past });
        const { status, body } = await api.call("GET", `${agents}?watch=true&resourceVersion=${position}`);
        return `${status} ${body.code}`;
      };
      await expect.poll(resume).toBe("410 store.watch_expired");
    }
    const { resourceVersion, items } = (await api.must("GET", agents)).body;
    expect(items[0]?.spec["description"]).toBe("newer");
    const stream = await api.watch(`${agents}?watch=true&resourceVersion=${resourceVersion}`);
    await create("b");
    expect(describeEvents(newerThan(items, await stream.until(isOf("b"))))).toEqual(["ADDED b"]);
    stream.close();
  });
});
