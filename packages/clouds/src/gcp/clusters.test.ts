import { afterAll, beforeAll, expect, test } from "vitest";
import { email, openGoogle, project, region, type OpenGoogle } from "./testing/open-google.ts";

let google: OpenGoogle;
beforeAll(async () => {
  google = await openGoogle();
});
afterAll(async () => {
  await google.server.close();
});

test("M125 the sizes of node pools are summed over their zones, and a missing cluster has none", async () => {
  const { answers, resources } = google.server;
  const group = (zone: string): string => `projects/${project}/zones/${region}-${zone}/instanceGroupManagers/gke-dev-a-${zone}`;
  resources.set(group("b"), { targetSize: 2 });
  resources.set(group("c"), { targetSize: 1 });
  const pool = (zone: string) => ({
    name: `a-${zone}`,
    config: { resourceLabels: { cloudwright_part: `pool__2fa__2f${zone}` } },
    instanceGroupUrls: [`https://www.googleapis.com/compute/v1/${group(zone)}`],
  });
  const nodePools = [pool("b"), pool("c"), { name: "default-pool" }];
  answers.set(`GET container/v1/projects/${project}/locations/-/clusters`, {
    clusters: [{ name: "dev", location: region, nodePools }],
  });
  const { clusters } = google.open();
  expect(await clusters.countNodes("dev")).toEqual({ a: 3 });
  expect(await clusters.countNodes("gone")).toEqual({});
  expect(await clusters.findAddress()).toBe("198.51.100.7");
  expect(await clusters.findPrincipal("main")).toBe(email);
  await clusters.unprotect("dev");
});

test("M129 a cluster is opened with the account's access token", async () => {
  const address = { name: "dev", region, endpoint: "https://203.0.113.10", caPem: "ca" };
  const access = await google.open().openCluster(address);
  expect(access).toMatchObject({ server: address.endpoint, caPem: "ca" });
  expect((await access.token()).reveal()).toBe("token-of-key");
});

test("M020 a long list of objects is counted up to a limit, and a missing bucket has none", async () => {
  const { answers, seen } = google.server;
  answers.set("GET storage/v1/b/full", { name: "full" });
  answers.set("GET storage/v1/b/full/o", ({ query }) => {
    const page = Number(query["pageToken"]?.[0] ?? 0);
    return {
      items: Array.from({ length: 1000 }, () => ({ name: "x" })),
      ...(page < 2 ? { nextPageToken: String(page + 1) } : {}),
    };
  });
  expect(await google.open().countObjects("full")).toBe(3000);
  expect(await google.open().countObjects("gone")).toBe(0);
  expect(seen.some(({ path, query }) => path === "storage/v1/b/full/o" && query["versions"]?.[0] === "true")).toBe(true);
});

test("X080 the audit log names who changed a resource last, unless the platform did", async () => {
  const { answers } = google.server;
  const entry = (principalEmail: string, code = 0) => ({
    timestamp: "2026-01-01T00:00:00Z",
    protoPayload: {
      methodName: "v1.compute.networks.patch",
      authenticationInfo: { principalEmail },
      status: code === 0 ? {} : { code },
    },
  });
  const id = (name: string): string => `projects/${project}/global/networks/${name}`;
  answers.set("POST logging/v2/entries:list", ({ body }) => {
    const { filter } = body as { readonly filter: string };
    if (filter.includes(id("one"))) return { entries: [entry("eve@example.com", 7), entry("ada@example.com"), entry(email)] };
    return filter.includes(id("two")) ? { entries: [entry(email), entry("ada@example.com")] } : {};
  });
  const resources = ["one", "two", "three"].map((name) => ({ type: "google_compute_network", id: id(name) }));
  expect(await google.open().findAuthors(resources)).toEqual([
    {
      type: "google_compute_network",
      id: id("one"),
      author: "ada@example.com",
      action: "v1.compute.networks.patch",
      at: new Date("2026-01-01T00:00:00Z"),
    },
  ]);
});
