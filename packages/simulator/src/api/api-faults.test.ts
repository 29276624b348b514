import { CreateClusterCommand, DescribeClusterCommand, ListClustersCommand, type EKSClient } from "@aws-sdk/client-eks";
import { DescribeVpcsCommand } from "@aws-sdk/client-ec2";
import { get } from "node:https";
import { connect } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openAws, seedSubnets, type AwsUnderTest, type ClientKeys } from "../aws/api/testing/open-aws.ts";
import { changeConditions } from "../cloud/conditions.ts";

let aws: AwsUnderTest;
let keys: ClientKeys;
let eks: EKSClient;

beforeEach(async () => {
  aws = await openAws({ limits: { bodyBytes: 10_000, requests: 3 } });
  keys = await aws.keysOf("a");
  eks = aws.connect(keys).eks;
  await seedSubnets(aws.inventory, "a");
});
afterEach(() => aws.close());

const type = "aws_eks_cluster";
const list = new ListClustersCommand({});
const create = new CreateClusterCommand({
  name: "dev",
  clientRequestToken: "once",
  roleArn: "arn:aws:iam::123456789012:role/EksClusterRole",
  resourcesVpcConfig: { subnetIds: ["subnet-a", "subnet-b"] },
});
const nameOf = (error: Error): string => error.name;
const made = () => aws.inventory.list("a", type);

test.each([
  ["ExpiredTokenException: the token expired", undefined, 403],
  ["AccessDeniedException: no", undefined, 403],
  ["ResourceNotFoundException: none", undefined, 404],
  ["ResourceInUseException: taken", undefined, 409],
  ["ThrottlingException: Rate exceeded", undefined, 429],
  ["ServerException: sorry", undefined, 500],
  ["ServiceUnavailableException: later", 503, 503],
])("M149 a simulated error %s gets the cloud's code and status", async (message, httpStatus, status) => {
  await aws.faults.add({ operation: "read", type, kind: "error", message, ...(httpStatus && { httpStatus }) });
  await expect(eks.send(list)).rejects.toMatchObject({ name: message.split(":")[0], $metadata: { httpStatusCode: status } });
  expect((await eks.send(list)).clusters).toEqual([]);
});

test("M149 a fault can name the API operation", async () => {
  await aws.faults.add({ operation: "call", type: "DescribeCluster", kind: "error", message: "ServerException: x" });
  expect((await eks.send(list)).clusters).toEqual([]);
  await expect(eks.send(new DescribeClusterCommand({ name: "x" })).catch(nameOf)).resolves.toBe("ServerException");
});

test("M149 a creation cut off before it takes effect leaves nothing, and one cut off afterwards can be repeated by token", async () => {
  await aws.faults.add({ operation: "create", type, kind: "crash" });
  await expect(eks.send(create)).rejects.toThrow(/socket hang up|ECONNRESET/);
  expect(await made()).toEqual([]);
  for (const kind of ["lost_reply", "truncated", "rubbish"] as const) {
    await aws.faults.add({ operation: "create", type, kind });
    await expect(eks.send(create)).rejects.toBeInstanceOf(Error);
    expect(await made()).toHaveLength(1);
  }
  const patient = aws.connect(keys, { maxAttempts: 3 }).eks;
  await aws.faults.add({ operation: "create", type, kind: "lost_reply" });
  expect((await patient.send(create)).cluster?.name).toBe("dev");
  expect(await made()).toHaveLength(1);
});

test("M149 a creation that hangs stays in progress, and a read that hangs ends when the client gives up", async () => {
  await aws.faults.add({ operation: "create", type, kind: "hang" });
  await eks.send(create);
  aws.advance(3_600_000);
  expect((await eks.send(new DescribeClusterCommand({ name: "dev" }))).cluster?.status).toBe("CREATING");
  await aws.faults.add({ operation: "read", type, kind: "hang" });
  await expect(eks.send(list, { abortSignal: AbortSignal.timeout(200) })).rejects.toBeInstanceOf(Error);
});

test("X021 a throttled cloud refuses calls with each service's own code, and clients that wait succeed", async () => {
  await changeConditions(aws.inventory, "a", { throttle: { perSecond: 0, burst: 1 } });
  const { ec2 } = aws.connect(keys);
  expect((await eks.send(list)).clusters).toEqual([]);
  await expect(eks.send(list)).rejects.toMatchObject({ name: "ThrottlingException" });
  await expect(ec2.send(new DescribeVpcsCommand({}))).rejects.toMatchObject({
    name: "RequestLimitExceeded",
    $metadata: { httpStatusCode: 503 },
  });
  await changeConditions(aws.inventory, "a", { throttle: { perSecond: 100, burst: 1 } });
  const patient = aws.connect(keys, { maxAttempts: 5 }).eks;
  expect((await patient.send(list)).clusters).toEqual([]);
});

test("M163 requests that are too large, and more requests than a tenant may have, are refused", async () => {
  const big = new CreateClusterCommand({ ...create.input, tags: { a: "x".repeat(20_000) } });
  await expect(eks.send(big)).rejects.toMatchObject({ $metadata: { httpStatusCode: 413 } });
  await aws.faults.add({ operation: "read", type, kind: "hang", times: 3 });
  const stop = new AbortController();
  const hanging = [1, 2, 3].map(() => eks.send(list, { abortSignal: stop.signal }).catch(nameOf));
  await expect.poll(async () => (await aws.faults.list())[0]?.seen).toBe(3);
  await expect(eks.send(list).catch(nameOf)).resolves.toBe("ThrottlingException");
  const other = aws.connect(await aws.keysOf("b")).eks;
  expect((await other.send(list)).clusters).toEqual([]);
  stop.abort();
  await Promise.all(hanging);
});

test("M150 one port serves HTTP and HTTPS, and survives bytes that are neither", async () => {
  const { secureAddress, caPem, port } = aws.host;
  const status = await new Promise((resolve, reject) => {
    get(`${secureAddress}/clusters?Action=x`, { ca: caPem }, (reply) => resolve(reply.resume().statusCode)).on("error", reject);
  });
  expect(status).toBe(403);
  for (const bytes of [Buffer.from([0x16, 3, 1, 0, 1, 9]), Buffer.from("\0\0\0\0"), Buffer.from("GET /\r\n\r\n")]) {
    await new Promise<void>((resolve) => {
      const socket = connect(port, "127.0.0.1", () => socket.end(bytes));
      socket.on("close", () => resolve()).on("error", () => resolve());
      socket.resume();
    });
  }
  expect((await fetch(aws.host.address)).status).toBe(404);
  expect((await eks.send(list)).clusters).toEqual([]);
});
