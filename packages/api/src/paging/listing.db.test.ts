import type { EntityJson, JsonObject } from "@cloudwright/contract";
import { createManualClock } from "@cloudwright/platform";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestApi, type TestApi } from "../testing/test-api.ts";

const clock = createManualClock();
const agents = "/v1/projects/default/agents";
const tiers = ["dev", "staging", "prod"];

let api: TestApi;

beforeAll(async () => {
  api = await startTestApi({ clock });
  for (let index = 0; index < 30; index += 1) {
    // Each pair of consecutive entities shares a creation time, so that paging by time has to handle ties.
    if (index % 2 === 0) clock.advance(1000);
    const labels: JsonObject = { tier: tiers[index % 3] ?? "", ...(index % 5 === 0 ? { legacy: "" } : {}) };
    const body = {
      metadata: { name: `a-${(index * 7) % 30}`, labels },
      spec: { description: `number ${index}`, draining: index === 4 },
    };
    await api.must("POST", agents, { body });
  }
});
afterAll(() => api.close());

async function list(query: string): Promise<EntityJson[]> {
  return (await api.must("GET", `${agents}?${query}`)).body.items;
}

async function names(query: string): Promise<string[]> {
  return (await list(query)).map(({ metadata }) => metadata.name ?? "");
}

/** Lists all pages in sequence and calls `between` after each page. */
async function listPages(
  query: string,
  between: (page: number) => Promise<unknown> = async () => undefined,
): Promise<string[][]> {
  const pages: string[][] = [];
  for (let token = ""; ;) {
    const { items, nextPageToken } = (await api.must("GET", `${agents}?${query}&pageToken=${token}`)).body;
    pages.push(items.map(({ metadata }) => metadata.name ?? ""));
    if (nextPageToken === "") return pages;
    token = nextPageToken;
    await between(pages.length);
  }
}

const all = Array.from({ length: 30 }, (_, index) => `a-${index}`).toSorted();

describe("M031 a list is", () => {
  test("sorted by name by default", async () => {
    expect(await names("")).toEqual(all);
    expect(await names("orderBy=name")).toEqual(all);
    expect(await names("orderBy=-name")).toEqual(all.toReversed());
  });

  test("sorted by time of creation or of change, in both directions", async () => {
    const times = async (query: string, field: "createdAt" | "updatedAt"): Promise<string[]> =>
      (await list(query)).map(({ metadata }) => metadata[field] ?? "");
    expect(await times("orderBy=createdAt", "createdAt")).toEqual((await times("", "createdAt")).toSorted());
    expect(await names("orderBy=-createdAt")).toEqual((await names("orderBy=createdAt")).toReversed());
    clock.advance(1000);
    await api.must("PATCH", `${agents}/a-0`, { body: { metadata: { annotations: { touched: "yes" } } } });
    expect((await names("orderBy=-updatedAt"))[0]).toBe("a-0");
    expect(await times("orderBy=updatedAt", "updatedAt")).toEqual((await times("", "updatedAt")).toSorted());
  });

  test.each<[selector: string, count: number]>([
    ["tier=prod", 10],
    ["tier==prod", 10],
    ["tier!=prod", 20],
    ["tier", 30],
    ["!tier", 0],
    ["legacy", 6],
    ["!legacy", 24],
    ["legacy=", 6],
    ["tier in (dev,staging)", 20],
    ["tier notin (dev, staging)", 10],
    ["tier=prod,!legacy", 8],
    ["tier=prod,tier=dev", 0],
    ["colour!=red", 30],
    ["colour notin (red)", 30],
    ["colour=red", 0],
  ])("filtered by the labels %s to %d", async (selector, count) => {
    expect(await list(`labelSelector=${encodeURIComponent(selector)}`)).toHaveLength(count);
  });

  test.each<[filter: string, count: number]>([
    ["metadata.name=a-3", 1],
    ["metadata.name!=a-3", 29],
    ["spec.draining=true", 1],
    ["spec.draining=false", 29],
    ["status.phase=RUNNING", 30],
    ["status.phase!=RUNNING", 0],
    ["spec.description=number 7", 1],
    ["spec.description=number 7,spec.draining=true", 0],
    ["metadata.environment=", 30],
    ["spec.description=' or ''='", 0],
  ])("filtered by the fields %s to %d", async (filter, count) => {
    expect(await list(`filter=${encodeURIComponent(filter)}`)).toHaveLength(count);
  });

  test("filtered by both, and by parent", async () => {
    expect(await list("labelSelector=tier%3Dprod&filter=spec.draining%3Dtrue")).toHaveLength(0);
    for (const name of ["one", "two"]) {
      await api.must("POST", "/v1/projects/default/accounts", { body: { metadata: { name }, spec: { local: {} } } });
      await api.must("POST", "/v1/projects/default/networks", { body: { metadata: { name }, spec: { account: name } } });
    }
    const { items } = (await api.must("GET", "/v1/projects/default/networks?parent=two")).body;
    expect(items.map(({ metadata }) => metadata.name)).toEqual(["two"]);
  });
});

describe("M031 paging", () => {
  test.each(["name", "-name", "createdAt", "-createdAt", "updatedAt", "-updatedAt"])(
    "by %s shows each entity once, in order",
    async (order) => {
      for (const size of [1, 7, 30, 1000]) {
        const pages = await listPages(`orderBy=${order}&pageSize=${size}`);
        expect(pages.flat()).toEqual(await names(`orderBy=${order}&pageSize=1000`));
        expect(pages.slice(0, -1).every((page) => page.length === size)).toBe(true);
      }
    },
  );

  test("with filter and selector shows each matching entity once", async () => {
    const query = "labelSelector=tier%3Dprod&filter=spec.draining%3Dfalse";
    expect((await listPages(`${query}&pageSize=3`)).flat()).toEqual(await names(query));
  });

  test("neither repeats nor skips unchanged entities while others are created and deleted", async () => {
    const seen = await listPages("pageSize=4", async (page) => {
      await api.must("POST", agents, { body: { metadata: { name: `a-0-before-${page}` } } });
      await api.must("POST", agents, { body: { metadata: { name: `z-after-${page}` } } });
      await api.must("DELETE", `${agents}/z-after-${page}`);
      await api.must("PATCH", `${agents}/a-9`, { body: { spec: { description: `page ${page}` } } });
    });
    const stayed = seen.flat().filter((name) => !name.includes("before"));
    expect(stayed).toEqual(all);
    for (const name of await names("pageSize=1000")) if (name.includes("before")) await api.must("DELETE", `${agents}/${name}`);
  });

  test("continues even if the last entity of a page was deleted in between", async () => {
    await api.must("POST", agents, { body: { metadata: { name: "a-0-gone" } } });
    const first = await api.must("GET", `${agents}?pageSize=2`);
    expect(first.body.items.at(-1)?.metadata.name).toBe("a-0-gone");
    await api.must("DELETE", `${agents}/a-0-gone`);
    const second = await api.must("GET", `${agents}?pageSize=2&pageToken=${first.body.nextPageToken}`);
    expect(second.body.items.map(({ metadata }) => metadata.name)).toEqual(all.slice(1, 3));
  });

  test("of records shows each once, newest first", async () => {
    const uids: string[] = [];
    for (let token = ""; ;) {
      const page = await api.must(
        "GET",
        `/v1/projects/default/events?pageSize=9&filter=kind%3DAgent,reason%3DCreated&pageToken=${token}`,
      );
      uids.push(...(page.body.items as unknown as { uid: string }[]).map(({ uid }) => uid));
      token = page.body.nextPageToken;
      if (token === "") break;
    }
    expect(uids).toEqual([...new Set(uids)].toSorted().toReversed());
    expect(uids.length).toBeGreaterThanOrEqual(30);
  });
});
