import { afterEach, beforeEach, expect, test } from "vitest";
import type { CallFacts } from "../../library/call-options.ts";
import { isCloudFault } from "../../library/errors.ts";
import type { CloudLibrary } from "../../library/library.ts";
import { shortWaits } from "../../testing/library-contract.ts";
import { createAws, type AwsLibraryOptions } from "../create-aws.ts";
import { startFakeEks, type EksFault, type EksRequest, type FakeEks } from "../testing/fake-eks.ts";

const keys = { accessKeyId: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: "canary" };
const roles = { eksRoleArn: "arn:aws:iam::123456789012:role/c", nodeRoleArn: "arn:aws:iam::123456789012:role/n" };
const request = { name: "main", version: "1.29", nodeCount: 2, nodeType: "m6i.large", subnets: ["subnet-a", "subnet-b"] };

let server: FakeEks;
let aws: CloudLibrary;
const open = (options: Partial<AwsLibraryOptions> = {}): CloudLibrary =>
  createAws({ ...keys, region: "us-east-1", endpoints: { all: server.address }, clock: shortWaits, ...options });

beforeEach(async () => {
  server = await startFakeEks();
  aws = open(roles);
});
afterEach(async () => {
  await aws.close();
  await server.close();
});

const isMutating = ({ method, path }: EksRequest): boolean => method !== "GET" && !/^(iam|ec2):(Get|List|Describe)/.test(path);

test("M162 a lost response to any request creates nothing twice, and nothing is left after the deletion", async () => {
  for (let lost = 0; ; lost += 1) {
    let count = 0;
    aws = open();
    // The response is lost only once. The SDK's retry sees the result of the first attempt.
    server.fault = (each) => (isMutating(each) && count++ === lost ? "lose" : undefined);
    const made = await aws.clusters.create(request, { wait: "ready", token: `lost-${lost}` });
    expect([lost, made.nodePools.map(({ count: nodes }) => nodes)]).toEqual([lost, [2]]);
    expect([server.clusters.size, server.groups.size, server.roles.size]).toEqual([1, 1, 2]);
    const isComplete = count <= lost;
    await aws.clusters.delete("main");
    expect([server.clusters.size, server.groups.size, server.roles.size]).toEqual([0, 0, 0]);
    await aws.close();
    if (isComplete) break;
  }
});

test("M162 a creation that was interrupted at any point continues with its token", async () => {
  const mutating = (): number => server.requests.filter(isMutating).length;
  aws = open();
  for (let stop = 1; ; stop += 1) {
    const before = mutating();
    const abort = new AbortController();
    server.fault = (each) => {
      if (isMutating(each) && mutating() - before === stop) abort.abort(new Error("killed"));
      return undefined;
    };
    const end = await aws.clusters
      .create(request, { signal: abort.signal, token: `stop-${stop}` })
      .catch((error: unknown) => error);
    server.fault = undefined;
    const made = await aws.clusters.create(request, { token: `stop-${stop}`, wait: "ready" });
    expect([stop, made.status, server.clusters.size, server.groups.size]).toEqual([stop, "running", 1, 1]);
    await aws.clusters.delete("main");
    expect([stop, server.clusters.size, server.groups.size, server.roles.size]).toEqual([stop, 0, 0, 0]);
    if (!(end instanceof Error)) break;
    expect(end.message).toBe("killed");
  }
});

const passing: readonly (readonly [string, EksFault])[] = [
  ["a reset connection", "reset"],
  ["a truncated response", "truncate"],
  ["status 500", { status: 500, code: "ServerException" }],
  ["status 503", { status: 503, code: "ServiceUnavailableException" }],
  ["throttling", { status: 429, code: "ThrottlingException" }],
];

test.each(passing)("M162 %s is retried", async (_name, fault) => {
  await aws.clusters.create(request, { wait: "ready" });
  let isFirst = true;
  server.fault = () => (isFirst ? ((isFirst = false), fault) : undefined);
  expect((await aws.clusters.get("main")).name).toBe("main");
});

const lasting: readonly (readonly [string, EksFault, string])[] = [
  ["a reset connection", "reset", "unavailable"],
  ["a truncated response", "truncate", "unavailable"],
  ["status 500", { status: 500, code: "ServerException" }, "unavailable"],
  ["status 503", { status: 503, code: "ServiceUnavailableException" }, "unavailable"],
  ["status 429", { status: 429, code: "TooManyRequestsException" }, "throttled"],
  ["status 401", { status: 401, code: "UnrecognizedClientException" }, "auth"],
  ["an expired token", { status: 403, code: "ExpiredTokenException" }, "auth"],
  ["status 403", { status: 403, code: "AccessDeniedException" }, "denied"],
  ["status 404", { status: 404, code: "ResourceNotFoundException" }, "not_found"],
  ["a quota", { status: 400, code: "ResourceLimitExceededException" }, "quota"],
  ["an invalid field", { status: 400, code: "InvalidParameterException" }, "invalid"],
];

test.each(lasting)("M149 %s that persists becomes a typed fault with the request ID", async (_name, fault, category) => {
  server.fault = () => fault;
  const error = await open({ ...roles, maxAttempts: 2 })
    .clusters.list()
    .catch((thrown: unknown) => thrown);
  if (!isCloudFault(error)) throw error;
  expect(error.extra.category).toBe(category);
  expect(error.extra.requestId !== "").toBe(fault !== "reset");
  expect(error.message).toContain("list the EKS clusters in us-east-1");
});

test("X021 every attempt counts against the budget, and reads are distinguished from changes", async () => {
  const taken: CallFacts[] = [];
  let inFlight = 0;
  const budget = {
    async take(call: CallFacts) {
      taken.push(call);
      inFlight += 1;
      return () => void (inFlight -= 1);
    },
  };
  let failures = 2;
  server.fault = () => (failures-- > 0 ? { status: 429, code: "ThrottlingException" } : undefined);
  await open({ ...roles, budget }).clusters.list();
  const call = { service: "eks", action: "ListClusters", isMutating: false };
  expect(taken).toEqual([1, 2, 3].map((attempt) => ({ ...call, attempt })));
  expect([taken.length, inFlight]).toEqual([server.requests.length, 0]);
  await open({ ...roles, budget }).clusters.create({ ...request, nodeCount: 0 });
  expect(taken.filter(({ isMutating: changes }) => changes).map(({ action }) => action)).toEqual(["CreateCluster"]);
});

test("X021 a call that waits for the budget can be cancelled", async () => {
  const budget = { take: () => new Promise<never>(() => undefined) };
  const abort = new AbortController();
  const listing = open({ ...roles, budget }).clusters.list({ signal: abort.signal });
  const reason = new Error("enough");
  setImmediate(() => abort.abort(reason));
  await expect(listing).rejects.toBe(reason);
  expect(server.requests).toHaveLength(0);
});

test("M147 a request without a response is cancelled by the signal, and so is a wait", async () => {
  server.fault = () => "hang";
  const reason = new Error("enough");
  await expect(aws.clusters.list({ signal: AbortSignal.any([delayed(reason)]) })).rejects.toBe(reason);
  server.fault = undefined;
  server.settleReads = 1_000_000;
  await aws.clusters.create({ ...request, nodeCount: 0 });
  await expect(aws.clusters.waitReady("main", { signal: delayed(reason) })).rejects.toBe(reason);
  const late = aws.clusters.waitReady("main", { timeoutMs: 50 });
  await expect(late).rejects.toMatchObject({ code: "clouds.timeout", message: expect.stringContaining("CREATING") as string });
});

function delayed(reason: Error): AbortSignal {
  const abort = new AbortController();
  setTimeout(() => abort.abort(reason), 50);
  return abort.signal;
}

test("M151 credentials that expire during a wait end it with the category auth", async () => {
  server.settleReads = 1000;
  await aws.clusters.create({ ...request, nodeCount: 0 });
  const before = server.requests.length;
  server.fault = () => (server.requests.length > before + 4 ? { status: 403, code: "ExpiredTokenException" } : undefined);
  await expect(aws.clusters.waitReady("main")).rejects.toMatchObject({ extra: { category: "auth" } });
});

test("M151 a function provides credentials, and is called again before they expire", async () => {
  let nowMs = Date.now();
  let asked = 0;
  const credentials = async () => ({ ...keys, accessKeyId: `AKIA${(asked += 1)}`, expiresAt: new Date(nowMs + 10 * 60_000) });
  const library = createAws({
    region: "us-east-1",
    credentials,
    endpoints: { all: server.address },
    clock: { ...shortWaits, now: () => nowMs },
  });
  await library.clusters.list();
  await library.clusters.list();
  expect(asked).toBe(1);
  nowMs += 6 * 60_000;
  await library.clusters.list({ region: "eu-west-1" });
  expect(asked).toBe(2);
  expect(server.requests.at(-1)?.headers.authorization).toContain("Credential=AKIA2/");
});

test("M150 contradictory or incomplete credentials are refused immediately", () => {
  const make = (options: Partial<AwsLibraryOptions>) => () => createAws({ region: "us-east-1", ...options });
  for (const options of [
    { accessKeyId: "AKIA" },
    { secretAccessKey: "s" },
    { sessionToken: "t" },
    { ...keys, credentials: async () => keys },
    { webIdentity: { roleArn: "r", tokenFile: "f" }, assumeRole: { roleArn: "r" } },
  ])
    expect(make(options)).toThrow(expect.objectContaining({ code: "clouds.invalid" }) as Error);
});

test("M150 a client without a region is refused immediately, with the option to pass", () => {
  for (const options of [{}, { region: "" }, { region: " " }])
    expect(() => createAws({ ...keys, ...options } as AwsLibraryOptions)).toThrow(
      expect.objectContaining({
        code: "clouds.invalid",
        message: expect.stringContaining("region is required; pass it to createAws") as string,
      }) as Error,
    );
});

test("M166 a cluster without subnets is refused before any request is sent, including those for roles", async () => {
  const { subnets: _subnets, ...without } = request;
  for (const bad of [without, { ...request, subnets: ["subnet-a"] }])
    await expect(open().clusters.create(bad)).rejects.toMatchObject({
      code: "clouds.invalid",
      message: expect.stringContaining("EKS requires subnets in at least two zones") as string,
    });
  expect(server.requests).toHaveLength(0);
});

test("M140 a cluster that stays without nodes is named in the message, with the call that deletes it", async () => {
  server.fault = ({ method, path }) =>
    method === "POST" && path.endsWith("/node-groups") ? { status: 400, code: "ResourceLimitExceededException" } : undefined;
  const stays = { left: [expect.stringContaining("EKS cluster main in us-east-1")], code: "clouds.quota" };
  const told = /the EKS cluster main in us-east-1 stays[^;]*; delete it with clusters\.delete\("main"\)/;
  const failed = open().clusters.create(request, { token: "left" });
  await expect(failed).rejects.toMatchObject(stays);
  await expect(failed).rejects.toThrow(told);
  server.fault = undefined;
  server.settleReads = 1_000_000;
  const late = aws.clusters.create({ ...request, name: "late" }, { wait: "ready", timeoutMs: 200 });
  await expect(late).rejects.toMatchObject({ code: "clouds.timeout", left: [expect.stringContaining("late")] });
  await expect(late).rejects.toThrow(/clusters\.delete\("late"\)/);
});

test("M160 a node pool that stays after a failed wait is named in the message, with the call that deletes it", async () => {
  await aws.clusters.create({ ...request, nodeCount: 0 }, { wait: "ready" });
  server.settleReads = 1_000_000;
  const late = aws.nodePools.create("main", { name: "late", count: 1 }, { wait: "ready", timeoutMs: 200 });
  await expect(late).rejects.toMatchObject({ code: "clouds.timeout", left: [expect.stringContaining("late")] });
  await expect(late).rejects.toThrow(/nodePools\.delete\("main", "late"\)/);
});

test("M140 the machine type is not checked if the credentials do not allow it", async () => {
  server.fault = ({ path }) => (path.startsWith("ec2:") ? { status: 403, code: "UnauthorizedOperation" } : undefined);
  expect(await aws.clusters.create(request, { wait: "ready" })).toMatchObject({ status: "running" });
});

test("M140 zones that none of the subnets is in are refused before anything is created", async () => {
  const odd = { ...request, pool: { zones: ["us-east-1f"] } };
  await expect(open().clusters.create(odd)).rejects.toMatchObject({ code: "clouds.invalid", left: [] });
  expect([server.clusters.size, server.roles.size]).toEqual([0, 0]);
});

test("M166 a refused cluster leaves no role behind, and someone else's role is not touched", async () => {
  server.fault = ({ method, path }) =>
    method === "POST" && path === "/clusters" ? { status: 400, code: "UnsupportedAvailabilityZoneException" } : undefined;
  await expect(open().clusters.create(request)).rejects.toMatchObject({ extra: { category: "quota", isCapacity: true } });
  expect(server.roles.size).toBe(0);
  server.fault = undefined;
  server.roles.set("main-us-east-1-cluster", { name: "main-us-east-1-cluster", policies: [], tags: {} });
  await expect(open().clusters.create(request)).rejects.toMatchObject({
    code: "clouds.conflict",
    message: expect.stringContaining("pass eksRoleArn") as string,
  });
  await open().clusters.delete("main");
  expect([...server.roles.keys()]).toEqual(["main-us-east-1-cluster"]);
});

test("M166 a request with a new role that EKS does not know yet is retried", async () => {
  let refusals = 3;
  server.fault = ({ method, path }) =>
    method === "POST" && path === "/clusters" && refusals-- > 0
      ? { status: 400, code: "InvalidParameterException", message: "The role with arn x could not be assumed" }
      : undefined;
  expect(await open().clusters.create({ ...request, nodeCount: 0 })).toMatchObject({ name: "main" });
  refusals = 1;
  await expect(aws.clusters.create({ ...request, name: "other", nodeCount: 0 })).rejects.toMatchObject({
    code: "clouds.invalid",
  });
});

test("M166 a failed node group is reported with EKS's reason", async () => {
  await aws.clusters.create(request);
  const group = server.groups.get("main/default") as Record<string, unknown>;
  const message =
    "Could not launch On-Demand Instances. InsufficientInstanceCapacity - We currently do not have sufficient capacity";
  server.settleReads = 1_000_000;
  await aws.nodePools.scale("main", "default", 3).catch(() => undefined);
  Object.assign(group, { status: "CREATE_FAILED", health: { issues: [{ code: "AsgInstanceLaunchFailures", message }] } });
  const error = await aws.clusters.waitReady("main").catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ extra: { category: "quota", isCapacity: true, nativeCode: "AsgInstanceLaunchFailures" } });
  expect((await aws.clusters.get("main")).nodePools[0]).toMatchObject({
    status: "failed",
    statusReason: expect.stringContaining(message) as string,
  });
});

test("M161 a failed upgrade is reported, and a repeated call continues", async () => {
  await aws.clusters.create(request, { wait: "ready" });
  server.updateErrors = [{ errorCode: "PodEvictionFailure", errorMessage: "Reached max retries while trying to evict pods" }];
  const failed = aws.upgrade("main", { version: "1.30" });
  await expect(failed).rejects.toMatchObject({
    extra: { nativeCode: "PodEvictionFailure" },
    message: expect.stringContaining("Reached max retries") as string,
  });
  server.updateErrors = [];
  const stop = new Error("not now");
  await expect(aws.upgrade("main", { version: "1.30", beforePool: () => Promise.reject(stop) })).rejects.toBe(stop);
  expect(await aws.clusters.get("main")).toMatchObject({ version: "1.30", nodePools: [{ version: "1.29" }] });
  expect(await aws.upgrade("main", { version: "v1.30.2" })).toMatchObject({ version: "1.30", nodePools: [{ version: "1.30" }] });
});

test("M166 names, ARNs and regions lead to the same cluster, and anything else is refused", async () => {
  const { id } = await aws.clusters.create({ ...request, nodeCount: 0, region: "eu-west-1" }, { wait: "ready" });
  expect(id).toBe("arn:aws:eks:us-east-1:123456789012:cluster/main");
  const arn = "arn:aws:eks:eu-west-1:123456789012:cluster/main";
  expect((await aws.clusters.get(arn)).name).toBe("main");
  expect(server.requests.at(-1)?.headers.authorization).toContain("/eu-west-1/eks/");
  for (const bad of ["", "arn:aws:s3:::bucket", "a/../b", "x".repeat(101), `${arn}/more`, "a b", "cluster?x=1"])
    await expect(aws.clusters.get(bad)).rejects.toMatchObject({ code: "clouds.invalid" });
});

test("M150 a clock that is ten minutes off is corrected to the server's time", async () => {
  server.skewMs = 10 * 60_000;
  const isSkewed = ({ headers }: EksRequest): boolean => {
    const signed = String(headers["x-amz-date"]).replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z");
    return Math.abs(Date.parse(signed) - (Date.now() + server.skewMs)) > 5 * 60_000;
  };
  server.fault = (each) =>
    isSkewed(each) ? { status: 403, code: "InvalidSignatureException", message: "Signature expired" } : undefined;
  expect(await aws.clusters.list()).toEqual([]);
  expect(server.requests).toHaveLength(2);
});

test("M140 an ARN from another account never reaches a cluster of the same name", async () => {
  const { id } = await aws.clusters.create(request, { wait: "ready" });
  const foreign = id.replace(/:\d{12}:/, ":999999999999:");
  const before = server.requests.filter(isMutating).length;
  for (const call of [
    () => aws.clusters.get(foreign),
    () => aws.clusters.kubeconfig(foreign),
    () => aws.clusters.delete(foreign),
    () => aws.nodePools.scale(foreign, "default", 0),
    () => aws.nodePools.delete(foreign, "default"),
    () => aws.upgrade(foreign, { version: "1.30" }),
  ])
    await expect(call()).rejects.toMatchObject({ code: "clouds.invalid" });
  expect(server.requests.filter(isMutating).length).toBe(before);
  await aws.clusters.delete(id);
  expect(server.clusters.size).toBe(0);
});

test("M140 a pool's ARN is accepted together with its cluster's ARN", async () => {
  const { id, nodePools } = await aws.clusters.create(request, { wait: "ready" });
  const [pool] = nodePools;
  await expect(aws.nodePools.waitReady(id, pool?.id ?? "")).resolves.toMatchObject({ name: "default" });
});
