import { Secret } from "@cloudwright/platform";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createAwsApi, type AwsApi } from "./api.ts";
import { createAwsClusters } from "./clusters.ts";
import type { CredentialSource } from "./credentials.ts";
import { listClusterLogGroups } from "./log-groups.ts";

const source: CredentialSource = {
  get: async () => ({
    accessKeyId: "AKIAOWN",
    secretAccessKey: new Secret("canary-secret"),
    expiresAtMs: Number.POSITIVE_INFINITY,
  }),
  trouble: () => undefined,
};
const seen: string[] = [];
/** EKS's response when it rejects a request because the cluster is being changed. */
const busy = { message: "the cluster is not active" };
/** Responses, keyed by method and path. A request without an entry gets a 404, which EKS returns for an unknown cluster. */
let answers: Record<string, () => unknown> = {};
let server: Server;
let endpoints: Record<string, string>;
let api: AwsApi;

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      const target = request.headers["x-amz-target"];
      const call = `${request.method} ${target === undefined ? (request.url ?? "").split("?")[0] : String(target)}`;
      seen.push(body === "" ? call : `${call} ${body}`);
      const answer = answers[call]?.();
      if (answer === undefined) response.setHeader("x-amzn-errortype", "ResourceNotFoundException");
      if (answer === busy) response.setHeader("x-amzn-errortype", "InvalidRequestException");
      response.statusCode = answer === undefined ? 404 : answer === busy ? 400 : 200;
      response.end(typeof answer === "string" ? answer : JSON.stringify(answer ?? { message: "none" }));
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  endpoints = { AWS_ENDPOINT_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  api = createAwsApi(source, { region: "eu-west-1", endpoints });
});
afterAll(() => {
  api.close();
  server.close();
});
beforeEach(() => {
  seen.length = 0;
  answers = {};
});

test("M121 the agent's public address comes from AWS, and is unknown if the response is not an IPv4 address", async () => {
  const { findAddress } = createAwsClusters(api, endpoints);
  answers = { "GET /": () => "198.51.100.7\n" };
  expect(await findAddress()).toBe("198.51.100.7");
  answers = { "GET /": () => "<html>log in</html>" };
  expect(await findAddress()).toBeUndefined();
  answers = {};
  expect(await findAddress()).toBeUndefined();
  expect(await createAwsClusters(api, { AWS_ENDPOINT_URL_CHECKIP: "http://127.0.0.1:1" }).findAddress()).toBeUndefined();
});

test("M123 the deletion protection is turned off only if it is on, and a missing cluster is not an error", async () => {
  const { unprotect } = createAwsClusters(api, endpoints);
  await unprotect("gone");
  let isProtected = false;
  let status = "ACTIVE";
  answers = {
    "GET /clusters/dev": () => ({ cluster: { name: "dev", status, deletionProtection: isProtected } }),
    "POST /clusters/dev/update-config": () => {
      isProtected = false;
      return { update: { id: "u", status: "InProgress" } };
    },
  };
  await unprotect("dev");
  expect(seen).toEqual(["GET /clusters/gone", "GET /clusters/dev"]);
  isProtected = true;
  for (status of ["CREATING", "FAILED", "DELETING"]) await unprotect("dev");
  expect(seen.filter((call) => call.startsWith("POST"))).toEqual([]);
  status = "ACTIVE";
  await unprotect("dev");
  expect(seen.find((call) => call.startsWith("POST"))).toContain('"deletionProtection":false');
  expect(isProtected).toBe(false);
});

test("X010 M069 the creator of a cluster is unknown only if EKS itself created the creator's access entry", async () => {
  const { findPrincipal } = createAwsClusters(api, endpoints);
  const principal = "arn:aws:iam::123456789012:user/builder";
  const identity = `<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult><Arn>${principal}</Arn></GetCallerIdentityResult></GetCallerIdentityResponse>`;
  const entry = (tags: object) => ({
    "POST /": () => identity,
    [`GET /clusters/dev/access-entries/${encodeURIComponent(principal)}`]: () => ({ accessEntry: { tags } }),
  });
  answers = { "POST /": () => identity };
  expect(await findPrincipal("dev")).toBe(principal);
  answers = entry({ "cloudwright:entity": "us" });
  expect(await findPrincipal("dev")).toBe(principal);
  answers = entry({});
  expect(await findPrincipal("dev")).toBeUndefined();
  answers = { "POST /": () => identity, [`GET /clusters/dev/access-entries/${encodeURIComponent(principal)}`]: () => busy };
  expect(await findPrincipal("dev")).toBe(principal);
});

test("M126 the built-in access of a cluster's creator is found if EKS created the access entry, or will create it with a new cluster", async () => {
  const { findBuiltInAccess } = createAwsClusters(api, endpoints);
  const principal = "arn:aws:iam::123456789012:user/builder";
  const identity = `<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult><Arn>${principal}</Arn></GetCallerIdentityResult></GetCallerIdentityResponse>`;
  const known = { "POST /": () => identity, "GET /clusters/dev": () => ({ cluster: { status: "ACTIVE" } }) };
  const entry = (tags: object) => ({
    [`GET /clusters/dev/access-entries/${encodeURIComponent(principal)}`]: () => ({ accessEntry: { tags } }),
  });
  answers = { "POST /": () => identity };
  expect(await findBuiltInAccess?.("dev")).toBe(principal);
  answers = { ...known, ...entry({}) };
  expect(await findBuiltInAccess?.("dev")).toBe(principal);
  answers = { ...known, ...entry({ "cloudwright:entity": "us" }) };
  expect(await findBuiltInAccess?.("dev")).toBeUndefined();
  answers = known;
  expect(await findBuiltInAccess?.("dev")).toBeUndefined();
});

test("M120 subnets in zones that EKS refuses for control planes are found by the id of the zone", async () => {
  const { listRefusedSubnets } = createAwsClusters(api, endpoints);
  answers = {
    "POST /": () =>
      '<DescribeSubnetsResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><subnetSet><item><subnetId>subnet-c</subnetId></item></subnetSet></DescribeSubnetsResponse>',
  };
  expect(await listRefusedSubnets?.(["subnet-a", "subnet-c"])).toEqual(["subnet-c"]);
});

test("M125 the sizes of node groups are found by pool, and a missing cluster has none", async () => {
  const { countNodes } = createAwsClusters(api, endpoints);
  expect(await countNodes("gone")).toEqual({});
  const group = (pool: string, desiredSize: number) => ({
    nodegroup: { scalingConfig: { desiredSize }, tags: { "cloudwright:part": pool } },
  });
  answers = {
    "GET /clusters/dev/node-groups": () => ({ nodegroups: ["spot-1", "other"] }),
    "GET /clusters/dev/node-groups/spot-1": () => group("pool/spot", 4),
    "GET /clusters/dev/node-groups/other": () => group("", 2),
  };
  expect(await countNodes("dev")).toEqual({ spot: 4 });
});

test("M032 the log group that EKS created is found by its name, and only for clusters that did not create their own", async () => {
  const call = "POST Logs_20140328.DescribeLogGroups";
  const cluster = { type: "aws_eks_cluster", id: "dev", tags: {}, names: [] };
  const id = "/aws/eks/dev/cluster";
  const place = { region: "eu-west-1", endpoints };
  answers = { [call]: () => ({ logGroups: [{ logGroupName: `${id}-2` }] }) };
  expect(await listClusterLogGroups(source, place, [cluster])).toEqual([]);
  answers = { [call]: () => ({ logGroups: [{ logGroupName: id }] }) };
  const found = { type: "aws_cloudwatch_log_group", id, tags: {}, names: ["dev"] };
  expect(await listClusterLogGroups(source, place, [cluster])).toEqual([found]);
  seen.length = 0;
  expect(await listClusterLogGroups(source, place, [cluster, found])).toEqual([]);
  expect(await listClusterLogGroups(source, place, [])).toEqual([]);
  expect(seen).toEqual([]);
});
