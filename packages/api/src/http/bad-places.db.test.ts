import { methods } from "@cloudwright/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestApi, type TestApi } from "../testing/test-api.ts";
import { callConnect } from "../testing/connect-call.ts";

let api: TestApi;

const environments = "/v1/projects/default/environments";

beforeAll(async () => {
  api = await startTestApi();
  for (const name of ["one", "two", "three"]) await api.must("POST", environments, { body: { metadata: { name } } });
});
afterAll(() => api.close());

/** Sends a request that must be rejected. Also checks that the response follows RFC 9457 and that nothing was stored. */
async function ask(method: string, path: string, headers: Record<string, string> = {}): Promise<string> {
  const before = await api.countStored();
  const { status, body, headers: answered } = await api.call(method, path, { headers });
  expect(answered["content-type"]).toBe("application/problem+json; charset=utf-8");
  expect(body).toMatchObject({ status, type: `/docs/errors#${body.code}`, help: expect.stringMatching(/\w/) });
  expect(await api.countStored()).toEqual(before);
  return `${status} ${body.code}`;
}

describe("M012 an invalid name in the path finds nothing:", () => {
  test.each<[what: string, name: string, answer: string]>([
    ["SQL", "one'%20or%20'1'='1", "404 api.not_found"],
    ["a statement", "one;%20drop%20table%20entity", "404 api.not_found"],
    ["a wildcard", "%25", "404 api.not_found"],
    ["a path, encoded", "..%2F..%2Fetc%2Fpasswd", "404 api.not_found"],
    ["a path, encoded twice", "%252e%252e%252f", "404 api.not_found"],
    ["a Windows path", "..%5C..%5Cboot.ini", "404 api.not_found"],
    ["dots, encoded", "%2e%2e", "404 api.not_found"],
    ["a line break", "one%0D%0AX-Injected:%20yes", "404 api.not_found"],
    ["an escape sequence", "%1B%5B31m", "404 api.not_found"],
    ["a letter of another alphabet that looks the same", "%CE%BFne", "404 api.not_found"],
    ["capitals", "ONE", "404 api.not_found"],
    ["a name that looks like a uid", "01a1ddd8-b4a2-7278-8508-2bbf2341242", "404 api.not_found"],
    ["a uid in upper case", "01A1DDD8-B4A2-7278-8508-2BBF2341242B", "404 api.not_found"],
    ["64 characters", "a".repeat(64), "400 api.invalid"],
    ["600 characters", "a".repeat(600), "404 api.no_route"],
    ["NUL", "one%00", "400 api.invalid"],
    ["half an encoded character", "%ff", "400 api.bad_request"],
    ["a broken encoding", "%zz", "400 api.bad_request"],
    ["an unknown verb", "one:explode", "404 api.not_found"],
  ])("%s", async (_, name, answer) => {
    for (const method of ["GET", "DELETE"]) expect(await ask(method, `${environments}/${name}`)).toBe(answer);
  });

  test("a path with .., sent as is", async () => {
    const wanted = [
      "/v1/projects/default/environments/../../../metrics",
      "/../etc/passwd",
      "/v1/projects/default/./environments",
      "//v1/projects",
    ];
    for (const path of wanted) expect(await ask("GET", path)).toBe("404 api.no_route");
  });

  test("an invalid project finds nothing either", async () => {
    for (const project of ["nowhere", "..", "default%00", "default'--", "a".repeat(64)]) {
      const answer = await ask("GET", `/v1/projects/${project}/environments`);
      expect([project, answer]).toEqual([
        project,
        project.length > 63 || project.includes("%00") ? "400 api.invalid" : "404 api.not_found",
      ]);
    }
  });
});

describe("M012 a query is rejected for a parameter that is", () => {
  test.each<[what: string, query: string, answer: string]>([
    ["unknown", "colour=red", "400 api.bad_query"],
    ["given twice", "pageSize=1&pageSize=2", "400 api.bad_query"],
    ["not a number", "pageSize=ten", "400 api.bad_query"],
    ["a fraction", "pageSize=1.5", "400 api.bad_query"],
    ["a number that is too large", "pageSize=1001", "400 api.invalid"],
    ["a number larger than 32 bits", "pageSize=4294967297", "400 api.invalid"],
    ["a number with many digits", `pageSize=${"9".repeat(40)}`, "400 api.bad_query"],
    ["below zero", "pageSize=-1", "400 api.invalid"],
    ["an unknown order", "orderBy=spec.description", "400 api.invalid"],
    ["an order with SQL", "orderBy=name;drop%20table%20entity", "400 api.invalid"],
    ["not a boolean", "watch=yes", "400 api.bad_query"],
    ["a parent for a kind without parents", "parent=default", "400 api.bad_query"],
    ["a project other than the one in the path", "project=system", "400 api.bad_query"],
    ["a filter without a comparison", "filter=spec.description", "400 api.bad_filter"],
    ["a filter on an unknown field", "filter=spec.colour=red", "400 api.bad_filter"],
    ["a filter on a field with subfields", "filter=spec=1", "400 api.bad_filter"],
    ["a filter with SQL as field", "filter=spec.description'%20or%20''='=x", "400 api.bad_filter"],
    ["a filter on a prototype member", "filter=spec.__proto__.x=1", "400 api.bad_filter"],
    ["a filter that is too long", `filter=${"a".repeat(2049)}`, "400 api.invalid"],
    ["a filter with NUL", "filter=spec.description=%00", "400 api.invalid"],
    ["a malformed label selector", "labelSelector==prod", "400 api.bad_filter"],
    ["a label selector that is never closed", "labelSelector=tier%20in%20(a", "400 api.bad_filter"],
    ["a label selector with NUL", "labelSelector=tier=%00", "400 api.invalid"],
    ["a made-up page token", "pageToken=garbage", "400 api.bad_page_token"],
    ["a page token of the wrong shape", `pageToken=${token(["a", 1, {}])}`, "400 api.bad_page_token"],
    ["a page token that is too long", `pageToken=${"a".repeat(1025)}`, "400 api.invalid"],
    ["a position in another log", "watch=true&resourceVersion=latest", "400 store.bad_position"],
    ["a position with SQL", "watch=true&resourceVersion=1'%20or%20'1'='1", "400 store.bad_position"],
    ["a negative position", "watch=true&resourceVersion=-1", "400 store.bad_position"],
    [
      "a position with a sequence number that is too large",
      "watch=true&resourceVersion=9999999999999999999",
      "400 store.bad_position",
    ],
    [
      "a position with a transaction id that is too large",
      "watch=true&resourceVersion=9999999999999999999.0",
      "400 store.bad_position",
    ],
    [
      "a position with both numbers too large",
      "watch=true&resourceVersion=9999999999999999999.9999999999999999999",
      "400 store.bad_position",
    ],
    ["a position in the future", "watch=true&resourceVersion=4000000000.0", "410 store.watch_expired"],
    ["a version that never existed", "watch=true&resourceVersion=1000000", "410 store.watch_expired"],
    ["a filter on a watch", "watch=true&filter=spec.description=x", "400 api.bad_query"],
  ])("%s", async (_, query, answer) => {
    expect(await ask("GET", `${environments}?${query}`)).toBe(answer);
  });

  test("a page token that was tampered with", async () => {
    for (const [order, values] of [
      ["name", ["\u0000", "\ud800"]],
      [
        "createdAt",
        [
          "yesterday",
          "2026",
          "2026-02-30 00:00:00+00",
          "0000-01-01T00:00:00.000Z",
          "+275760-09-13T00:00:00.000Z",
          "infinity",
          "\u0000",
        ],
      ],
      ["-updatedAt", ["now", "2026-01-01 00:00:00 Mars/Phobos"]],
    ] as const) {
      const { body } = await api.must("GET", `${environments}?pageSize=1&orderBy=${order}`);
      const [digest, , uid] = JSON.parse(Buffer.from(body.nextPageToken, "base64url").toString()) as [string, string, string];
      const forged = [
        ...values.map((value) => token([digest, value, uid])),
        token([digest, "", "no-uid"]),
        token([digest, "", `${uid}0`]),
      ];
      for (const pageToken of forged) {
        expect(await ask("GET", `${environments}?orderBy=${order}&pageToken=${pageToken}`)).toBe("400 api.bad_page_token");
      }
    }
    const { body } = await api.must("GET", "/v1/projects/default/events?pageSize=1");
    const [digest] = JSON.parse(Buffer.from(body.nextPageToken, "base64url").toString()) as [string];
    expect(await ask("GET", `/v1/projects/default/events?pageToken=${token([digest, "", "x"])}`)).toBe("400 api.bad_page_token");
  });

  test("a page token from another query", async () => {
    const { body } = await api.must("GET", `${environments}?pageSize=1`);
    expect(await ask("GET", `${environments}?pageToken=${body.nextPageToken}&labelSelector=a`)).toBe("400 api.bad_page_token");
    expect(await ask("GET", `${environments}?pageToken=${body.nextPageToken}&orderBy=-name`)).toBe("400 api.bad_page_token");
  });

  test("the position in Last-Event-ID", async () => {
    expect(await ask("GET", `${environments}?watch=true`, { "last-event-id": "latest" })).toBe("400 store.bad_position");
  });
});

describe("M012 an unsupported method is rejected with a list of the supported ones:", () => {
  test.each<[method: string, path: string, allow: string]>([
    ["PUT", environments, "POST, GET, HEAD"],
    ["PATCH", environments, "POST, GET, HEAD"],
    ["DELETE", environments, "POST, GET, HEAD"],
    ["OPTIONS", environments, "POST, GET, HEAD"],
    ["POST", `${environments}/one`, "GET, PATCH, PUT, DELETE, HEAD"],
    ["DELETE", "/v1/whoami", "GET, HEAD"],
    ["POST", "/healthz", "GET, HEAD"],
    ["GET", "/v1/tokens", "POST"],
  ])("%s %s", async (method, path, allow) => {
    const answer = await api.call(method, path);
    expect([answer.status, answer.body.code, answer.headers["allow"]]).toEqual([405, "api.method_not_allowed", allow]);
  });

  test("a method unknown to HTTP", async () => {
    const { status } = await api.call("BREW", environments).catch(() => ({ status: 400 }));
    expect(status).toBe(400);
  });
});

describe("M012 Connect rejects the same inputs:", () => {
  const nul = "one\u0000";
  const long = "a".repeat(64);

  test.each(methods.filter(({ kind }) => kind === "Environment"))("$id", async (method) => {
    const before = await api.countStored();
    const entity = { metadata: { name: "made" } };
    const known = (fields: Record<string, unknown>): never =>
      Object.fromEntries(Object.entries(fields).filter(([name]) => name in method.descriptor.input.field)) as never;
    for (const bad of [nul, long]) {
      const inProject = await callConnect(api.url, method, known({ project: bad, name: "one", entity }), {
        key: api.adminKey,
      });
      expect([inProject.code, inProject.reason]).toEqual(["InvalidArgument", "api.invalid"]);
      if (!("name" in method.descriptor.input.field)) continue;
      const byName = await callConnect(api.url, method, known({ project: "default", name: bad, entity }), {
        key: api.adminKey,
      });
      expect([byName.code, byName.reason]).toEqual(["InvalidArgument", "api.invalid"]);
    }
    expect(await api.countStored()).toEqual(before);
  });
});

function token(parts: unknown): string {
  return Buffer.from(JSON.stringify(parts)).toString("base64url");
}
