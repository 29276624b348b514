import type { Json } from "@cloudwright/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestApi, type TestApi } from "../testing/test-api.ts";

let api: TestApi;

beforeAll(async () => {
  api = await startTestApi();
  await api.must("POST", accounts, { body: { metadata: { name: "sandbox" }, spec: { simulated: true, aws: {} } } });
  await api.must("POST", environments, { body: { metadata: { name: "staging" } } });
});
afterAll(() => api.close());

const accounts = "/v1/projects/default/accounts";
const environments = "/v1/projects/default/environments";
const networks = "/v1/projects/default/networks";

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly body: Json | Buffer;
  readonly headers?: Record<string, string>;
}

/**
 * Sends a request that must be rejected. Returns the status, the code and the reported field. Also checks that the response follows RFC
 * 9457 and that nothing was stored.
 */
async function reject({ method = "POST", path = environments, body, headers = {} }: Sent): Promise<string> {
  const before = await api.countStored();
  const answer = await api.call(method, path, { body, headers });
  const { status, body: problem } = answer;
  expect(answer.headers["content-type"]).toBe("application/problem+json; charset=utf-8");
  expect(problem).toMatchObject({
    status,
    type: `/docs/errors#${problem.code}`,
    instance: path.split("?")[0],
    requestId: answer.headers["x-request-id"],
    help: expect.stringMatching(/\w/),
  });
  expect(await api.countStored()).toEqual(before);
  return [status, problem.code, ...problem.fields.map(({ field }) => field)].join(" ").trim();
}

const named = (rest: string): string => `{"metadata":{"name":"made"},${rest}}`;
const deep = (levels: number): string => named(`"spec":${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`);

describe("M012 a body that is not one JSON object in UTF-8 is rejected:", () => {
  test.each<[what: string, body: string | Buffer]>([
    ["nothing", ""],
    ["a brace that is never closed", '{"metadata":{"name":"made"}'],
    ["two objects", '{"metadata":{"name":"made"}}{}'],
    ["a trailing comma", '{"metadata":{"name":"made"},}'],
    ["a comment", '{"metadata":{"name":"made"}/* */}'],
    ["not a number", named('"spec":NaN')],
    ["a raw control character", named('"spec":{"description":"a\u0001b"}')],
    ["65 levels", deep(65)],
    ["10,000 levels", "[".repeat(10_000) + "]".repeat(10_000)],
    [
      "a byte that is not UTF-8",
      Buffer.concat([Buffer.from('{"metadata":{"name":"ma'), Buffer.from([0xff]), Buffer.from('de"}}')]),
    ],
    [
      "an overlong encoding",
      Buffer.concat([Buffer.from('{"metadata":{"name":"ma'), Buffer.from([0xc0, 0xaf]), Buffer.from('de"}}')]),
    ],
    [
      "a surrogate in UTF-8",
      Buffer.concat([Buffer.from('{"metadata":{"name":"ma'), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('de"}}')]),
    ],
    ["UTF-16", Buffer.from('{"metadata":{"name":"made"}}', "utf16le")],
    ["NUL bytes instead of text", Buffer.alloc(16)],
    ["null", "null"],
  ])("%s", async (_, body) => {
    expect(await reject({ body })).toBe("400 api.bad_json");
  });

  test.each<[what: string, body: Json]>([
    ["a list", []],
    ["a text", '"made"'],
    ["a number", "1"],
    ["a truth value", "true"],
  ])("%s", async (_, body) => {
    expect(await reject({ body })).toBe("400 api.invalid");
  });
});

describe("M012 a body is rejected before it is read:", () => {
  test("one of 10 MB", async () => {
    const body = named(`"spec":{"description":"${"x".repeat(10_000_000)}"}`);
    expect(await reject({ body })).toBe("413 api.body_too_large");
  });

  test("one that is too large and does not announce its size", async () => {
    const body = Buffer.from(named(`"spec":{"description":"${"x".repeat(2_000_000)}"}`));
    expect(await reject({ body, headers: { "transfer-encoding": "chunked" } })).toBe("413 api.body_too_large");
  });

  test.each([
    "text/plain",
    "application/xml",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "json",
    "application/jsonp",
    "",
  ])("%j", async (type) => {
    const body = { metadata: { name: "made" } };
    expect(await reject({ body, headers: { "content-type": type } })).toBe("415 api.unsupported_media");
  });
});

describe("M012 an invalid field is named:", () => {
  test.each<[what: string, field: string, body: Json]>([
    ["an unknown field at the top level", "extra", { metadata: { name: "made" }, extra: 1 }],
    ["unknown below", "spec.extra", { metadata: { name: "made" }, spec: { extra: 1 } }],
    ["a field named like a prototype member", "spec.constructor", { metadata: { name: "made" }, spec: { constructor: 1 } }],
    ["a number instead of a string", "spec.description", { metadata: { name: "made" }, spec: { description: 1 } }],
    ["an object instead of a string", "spec.description", { metadata: { name: "made" }, spec: { description: {} } }],
    ["a list instead of an object", "metadata", { metadata: [] }],
    ["a string instead of an object", "spec", { metadata: { name: "made" }, spec: "x" }],
    ["a list instead of a map", "metadata.labels", { metadata: { name: "made", labels: ["a"] } }],
    ["a number as a label", 'metadata.labels["a"]', { metadata: { name: "made", labels: { a: 1 } } }],
    ["an empty name", "metadata.name", { metadata: {} }],
    ["SQL for a name", "metadata.name", { metadata: { name: "a'; drop table entity; --" } }],
    ["a path as a name", "metadata.name", { metadata: { name: "../../etc/passwd" } }],
    ["a line break in a name", "metadata.name", { metadata: { name: "made\n" } }],
    ["letters of other alphabets in a name", "metadata.name", { metadata: { name: "mаde" } }],
    ["a name that is too long", "metadata.name", { metadata: { name: "a".repeat(64) } }],
    ["a string that is too long", "spec.description", { metadata: { name: "made" }, spec: { description: "x".repeat(1025) } }],
    ["a NUL in a text", "spec.description", { metadata: { name: "made" }, spec: { description: "a\u0000b" } }],
    ["a NUL in an annotation", "metadata.annotations.a", { metadata: { name: "made", annotations: { a: "\u0000" } } }],
    ["a NUL in an annotation's key", "metadata.annotations", { metadata: { name: "made", annotations: { "\u0000": "a" } } }],
    ["a NUL in a reference", "metadata.environment", { metadata: { name: "made", environment: "a\u0000" } }],
    ["half a character", "spec.description", { metadata: { name: "made" }, spec: { description: "\ud800" } }],
    [
      "half a surrogate pair in an annotation",
      'metadata.annotations["a"]',
      { metadata: { name: "made", annotations: { a: "\udc00" } } },
    ],
  ])("%s", async (_, field, body) => {
    expect(await reject({ body })).toBe(`400 api.invalid ${field}`);
  });

  test("a member called __proto__", async () => {
    const patch = { method: "PATCH", path: `${environments}/staging` };
    const inAnnotations = '{"metadata":{"name":"made","annotations":{"__proto__":"x"}}}';
    expect(await reject({ body: named('"__proto__":{"spec":{}}') })).toBe("400 api.invalid __proto__");
    expect(await reject({ body: inAnnotations })).toBe("400 api.invalid metadata.annotations.__proto__");
    expect(await reject({ ...patch, body: '{"__proto__":{"a":1}}' })).toBe("400 api.invalid __proto__");
    expect(await reject({ ...patch, body: '{"spec":{"__proto__":{"a":"x"}}}' })).toBe("400 api.invalid spec.__proto__");
  });

  test.each<[what: string, value: string]>([
    ["larger than 32 bits", "4294967296"],
    ["larger than any number", "1e400"],
    ["of 400 digits", "9".repeat(400)],
    ["with a fraction", "1.5"],
    ["negative", "-1"],
    ["as a word", '"many"'],
    ["a truth value", "true"],
  ])("a number %s", async (_, value) => {
    const body = named(`"spec":{"account":"sandbox","aws":{"loadBalancerIps":${value}}}`);
    expect(await reject({ path: networks, body })).toBe("400 api.invalid spec.aws.loadBalancerIps");
  });

  test.each(["updateMask=metadata.labels", "updateMask=spec.description"])("in a masked update (%s) too", async (query) => {
    const request = { method: "PATCH", path: `${environments}/staging?${query}` };
    expect(await reject({ ...request, body: "5" })).toBe("400 api.invalid");
    expect(await reject({ ...request, body: { extra: 1 } })).toBe("400 api.invalid extra");
    expect(await reject({ ...request, body: { spec: { extra: 1 } } })).toBe("400 api.invalid spec.extra");
  });
});
