import { Secret } from "@cloudwright/platform";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findAwsAuthors } from "./audit-trail.ts";
import type { CredentialSource } from "./credentials.ts";

const source: CredentialSource = {
  get: async () => ({
    accessKeyId: "AKIAOWN",
    secretAccessKey: new Secret("canary-secret"),
    expiresAtMs: Number.POSITIVE_INFINITY,
  }),
  trouble: () => undefined,
};
/** Events keyed by resource, newest first. An undefined list makes the service deny the lookup. */
const trails: Record<string, object[] | undefined> = {};
const requests: { headers: Record<string, unknown>; body: string }[] = [];
let server: Server;
let endpoints: Record<string, string>;

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      requests.push({ headers: request.headers, body });
      const { LookupAttributes } = JSON.parse(body) as { LookupAttributes: { AttributeValue: string }[] };
      const events = trails[LookupAttributes[0]?.AttributeValue ?? ""];
      response.statusCode = events === undefined ? 400 : 200;
      response.end(
        JSON.stringify(events === undefined ? { __type: "x#AccessDeniedException", message: "no" } : { Events: events }),
      );
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  endpoints = { AWS_ENDPOINT_URL_CLOUDTRAIL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
});
afterAll(() => server.close());

const event = (Username: string, EventName: string, more: object = {}) => ({
  Username,
  EventName,
  EventTime: 1_760_000_000,
  ...more,
});
const ask = (...ids: string[]) =>
  findAwsAuthors(
    source,
    { region: "eu-west-1", endpoints },
    ids.map((id) => ({ type: "aws_vpc", id })),
  );

test("X080 CloudTrail names who changed a resource last, ignoring reads and failed calls", async () => {
  trails["vpc-1"] = [
    event("carol", "DescribeVpcs", { ReadOnly: "true" }),
    event("bob", "DeleteTags", { CloudTrailEvent: JSON.stringify({ errorCode: "Client.UnauthorizedOperation" }) }),
    event("alice", "CreateTags", { CloudTrailEvent: "{}" }),
    event("cloudwright-0199", "CreateVpc"),
  ];
  expect(await ask("vpc-1")).toEqual([
    { type: "aws_vpc", id: "vpc-1", author: "alice", action: "CreateTags", at: new Date(1_760_000_000_000) },
  ]);
  const [{ headers, body } = { headers: {}, body: "" }] = requests;
  expect(headers["x-amz-target"]).toMatch(/LookupEvents$/);
  expect(headers["authorization"]).toMatch(/^AWS4-HMAC-SHA256 Credential=AKIAOWN\/\d{8}\/eu-west-1\/cloudtrail\/aws4_request/);
  expect(JSON.stringify(headers) + body).not.toContain("canary");
});

test("X080 a resource that the platform changed last, or that the trail does not contain, has no author", async () => {
  trails["vpc-2"] = [event("cloudwright-0199", "CreateTags"), event("alice", "CreateTags")];
  trails["vpc-3"] = [event("builder", "CreateTags", { AccessKeyId: "AKIAOWN" })];
  trails["vpc-4"] = [];
  expect(await ask("vpc-2", "vpc-3", "vpc-4")).toEqual([]);
});

test("X080 a missing permission is a fault, and at most ten resources are looked up", async () => {
  await expect(ask("denied")).rejects.toMatchObject({ code: "clouds.not_allowed" });
  const ids = Array.from({ length: 30 }, (_, nth) => `many-${nth}`);
  for (const id of ids) trails[id] = [event("alice", "CreateTags")];
  const before = requests.length;
  expect(await ask(...ids)).toHaveLength(10);
  expect(requests.length - before).toBe(10);
});
