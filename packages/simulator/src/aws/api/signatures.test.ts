import { DescribeClusterCommand, ListClustersCommand } from "@aws-sdk/client-eks";
import {
  AssumeRoleCommand,
  AssumeRoleWithWebIdentityCommand,
  GetCallerIdentityCommand,
  type Credentials,
} from "@aws-sdk/client-sts";
import { DescribeVpcsCommand } from "@aws-sdk/client-ec2";
import { Secret } from "@cloudwright/platform";
import { createHash, createHmac } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { changeConditions, resetConditions } from "../../cloud/conditions.ts";
import { createApiIdentity } from "../../api/identity.ts";
import { accountOf } from "../place.ts";
import { issueWebIdentityToken } from "./sts/operations.ts";
import { openAws, type AwsUnderTest, type ClientKeys } from "./testing/open-aws.ts";

let aws: AwsUnderTest;
let keys: ClientKeys;

beforeAll(async () => {
  aws = await openAws();
  keys = await aws.keysOf("a");
});
afterAll(() => aws.close());

const list = new ListClustersCommand({});

test("M150 a signature with the issued keys is accepted by every service, and the caller is the tenant's user", async () => {
  const { eks, sts } = aws.connect(keys);
  expect((await eks.send(list)).clusters).toEqual([]);
  const account = accountOf("a");
  expect(await sts.send(new GetCallerIdentityCommand({}))).toMatchObject({
    Account: account,
    Arn: `arn:aws:iam::${account}:user/simulated`,
  });
});

test("M150 a wrong secret, an unknown key and a missing signature are refused in each service's own words", async () => {
  const wrong = aws.connect({ ...keys, secretAccessKey: "x".repeat(40) });
  await expect(wrong.eks.send(list)).rejects.toMatchObject({
    name: "InvalidSignatureException",
    $metadata: { httpStatusCode: 403 },
  });
  await expect(wrong.sts.send(new GetCallerIdentityCommand({}))).rejects.toMatchObject({ name: "SignatureDoesNotMatch" });
  await expect(wrong.ec2.send(new DescribeVpcsCommand({}))).rejects.toMatchObject({ name: "AuthFailure" });
  const strange = aws.connect({ ...keys, accessKeyId: "AKIAIOSFODNN7EXAMPLE" });
  await expect(strange.eks.send(list)).rejects.toMatchObject({ name: "UnrecognizedClientException" });
  await expect(strange.sts.send(new GetCallerIdentityCommand({}))).rejects.toMatchObject({ name: "InvalidClientTokenId" });
  const reply = await fetch(`${aws.host.address}/clusters`, { headers: { "x-amz-date": "20260101T000000Z" } });
  expect(reply.status).toBe(403);
  expect(reply.headers.get("x-amzn-errortype")).toBe("MissingAuthenticationTokenException");
});

test("M150 a clock that is ten minutes off is refused, and clients correct it with the Date header", async () => {
  for (const clockSkewMs of [-600_000, 600_000]) {
    await changeConditions(aws.inventory, "a", { clockSkewMs });
    const once = aws.connect(keys);
    await expect(once.eks.send(list)).rejects.toMatchObject({ name: "InvalidSignatureException" });
    await expect(once.ec2.send(new DescribeVpcsCommand({}))).rejects.toMatchObject({ name: "RequestExpired" });
    const patient = aws.connect(keys, { maxAttempts: 2 });
    expect((await patient.eks.send(list)).clusters).toEqual([]);
  }
  await resetConditions(aws.inventory, "a");
});

test("M150 the signature covers the method, the path, the query, the headers and the body", async () => {
  const at = new Date();
  const path = "/clusters/a%3Ab";
  const accepted = await send({ method: "GET", path, query: "x=1&a=%20b", body: "", at });
  expect(accepted.headers.get("x-amzn-errortype")).toBe("ResourceNotFoundException");
  for (const change of [
    { method: "DELETE" },
    { path: "/clusters/other" },
    { query: "x=2&a=%20b" },
    { body: "{}" },
    { note: "other" },
  ]) {
    const { headers } = await send({ method: "GET", path, query: "x=1&a=%20b", body: "", at }, change);
    expect(headers.get("x-amzn-errortype")).toBe("InvalidSignatureException");
  }
});

test("M150 header values are signed without repeated spaces", async () => {
  const { status } = await send({ method: "GET", path: "/clusters", query: "", body: "", at: new Date(), note: "a   b" });
  expect(status).toBe(200);
});

test("M150 one tenant's keys never give access to another tenant's resources", async () => {
  await aws.inventory.put("a", { type: "aws_eks_cluster", id: "mine", attributes: { name: "mine", region: "eu-west-1" } });
  const { eks } = aws.connect(await aws.keysOf("b"));
  expect((await eks.send(list)).clusters).toEqual([]);
  await expect(eks.send(new DescribeClusterCommand({ name: "mine" }))).rejects.toMatchObject({
    name: "ResourceNotFoundException",
  });
  // A key id that names the tenant is useless without the tenant's secret.
  const forged = aws.connect({ accessKeyId: keys.accessKeyId, secretAccessKey: (await aws.keysOf("b")).secretAccessKey });
  await expect(forged.eks.send(list)).rejects.toMatchObject({ name: "InvalidSignatureException" });
  await aws.inventory.delete("a", { type: "aws_eks_cluster", id: "mine" });
});

test("M150 rotation invalidates all keys and sessions of the tenant", async () => {
  const before = await aws.keysOf("rotated");
  await aws.host.rotate("rotated");
  await expect(aws.connect(before).eks.send(list)).rejects.toMatchObject({ name: "InvalidSignatureException" });
  expect((await aws.connect(await aws.keysOf("rotated")).eks.send(list)).clusters).toEqual([]);
});

const trust = (condition?: object): string =>
  JSON.stringify({
    Version: "2012-10-17",
    Statement: [
      {
        Effect: "Allow",
        Principal: { AWS: `arn:aws:iam::${accountOf("a")}:root`, Federated: "accounts.example.org" },
        Action: ["sts:AssumeRole", "sts:AssumeRoleWithWebIdentity"],
        ...(condition && { Condition: condition }),
      },
    ],
  });

async function putRole(name: string, policy: string): Promise<string> {
  const attributes = { name, assume_role_policy: policy, max_session_duration: 3600, unique_id: "AROASIM" };
  await aws.inventory.put("a", { type: "aws_iam_role", id: name, attributes });
  return `arn:aws:iam::${accountOf("a")}:role/${name}`;
}

test("M151 a role is assumed only if it exists, trusts the caller and gets the right external id", async () => {
  const arn = await putRole("deploy", trust({ StringEquals: { "sts:ExternalId": "secret-id" } }));
  const { sts } = aws.connect(keys);
  const assume = (RoleArn: string, ExternalId?: string) =>
    sts.send(new AssumeRoleCommand({ RoleArn, RoleSessionName: "run", ...(ExternalId !== undefined && { ExternalId }) }));
  for (const attempt of [assume(arn), assume(arn, "wrong"), assume(`${arn}x`, "secret-id"), assume("nonsense")]) {
    await expect(attempt).rejects.toMatchObject({ name: "AccessDenied", $metadata: { httpStatusCode: 403 } });
  }
  const stranger = aws.connect(await aws.keysOf("b"));
  await expect(
    stranger.sts.send(new AssumeRoleCommand({ RoleArn: arn, RoleSessionName: "run", ExternalId: "secret-id" })),
  ).rejects.toMatchObject({ name: "AccessDenied" });
  const { Credentials: session } = await assume(arn, "secret-id");
  const temporary = aws.connect(toKeys(session));
  expect(await temporary.sts.send(new GetCallerIdentityCommand({}))).toMatchObject({
    Arn: `arn:aws:sts::${accountOf("a")}:assumed-role/deploy/run`,
  });
  const unaccompanied = aws.connect({ ...toKeys(session), sessionToken: "forged" });
  await expect(unaccompanied.eks.send(list)).rejects.toMatchObject({ name: "UnrecognizedClientException" });
});

test("M151 a session ends when it expires", async () => {
  const arn = await putRole("short", trust());
  const { sts } = aws.connect(keys);
  const { Credentials: session } = await sts.send(
    new AssumeRoleCommand({ RoleArn: arn, RoleSessionName: "run", DurationSeconds: 900 }),
  );
  expect((await aws.connect(toKeys(session)).eks.send(list)).clusters).toEqual([]);
  aws.shift(901_000);
  const late = aws.connect(toKeys(session), { systemClockOffset: 901_000 });
  await expect(late.eks.send(list)).rejects.toMatchObject({ name: "ExpiredTokenException" });
  aws.shift(-901_000);
});

test("M151 a role is assumed with the tenant's web identity token and without keys", async () => {
  const arn = await putRole("federated", trust());
  const identity = createApiIdentity({ secret: new Secret("test"), inventory: aws.inventory, clock: { now: Date.now } });
  const token = await issueWebIdentityToken(identity, "a", Date.now() + 60_000);
  const { sts } = aws.connect({ accessKeyId: "none", secretAccessKey: "none" });
  const request = { RoleArn: arn, RoleSessionName: "run" };
  const assume = (WebIdentityToken: string) => sts.send(new AssumeRoleWithWebIdentityCommand({ ...request, WebIdentityToken }));
  expect((await assume(token)).AssumedRoleUser?.Arn).toContain("assumed-role/federated/run");
  await expect(assume("forged")).rejects.toMatchObject({ name: "InvalidIdentityTokenException" });
  await expect(assume(await issueWebIdentityToken(identity, "a", Date.now() - 1))).rejects.toMatchObject({
    name: "ExpiredTokenException",
  });
});

function toKeys(session: Credentials | undefined): ClientKeys {
  const { AccessKeyId = "", SecretAccessKey = "", SessionToken = "" } = session ?? {};
  return { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: SessionToken };
}

interface RawRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly body: string;
  readonly at: Date;
  readonly note?: string;
}

// Signs a request, then sends it or a modified request with the same signature. Written from the specification, independently of the
// verifier.
async function send(signed: RawRequest, change: Partial<RawRequest> = {}): Promise<Response> {
  const { method, path, query, body, at, note = "plain" } = signed;
  const time = at.toISOString().replaceAll(/[-:]|\.\d+/g, "");
  const scope = [time.slice(0, 8), "eu-west-1", "eks", "aws4_request"];
  const hash = (text: string): string => createHash("sha256").update(text).digest("hex");
  const host = new URL(aws.host.address).host;
  const canonical = [
    method,
    path.replaceAll("%", "%25"),
    query.split("&").toSorted().join("&"),
    `host:${host}\nx-amz-date:${time}\nx-note:${note.replaceAll(/ +/g, " ")}\n`,
    "host;x-amz-date;x-note",
    hash(body),
  ].join("\n");
  const toSign = ["AWS4-HMAC-SHA256", time, scope.join("/"), hash(canonical)].join("\n");
  const key = scope.reduce<Buffer>(
    (before, part) => createHmac("sha256", before).update(part).digest(),
    Buffer.from(`AWS4${keys.secretAccessKey}`),
  );
  const signature = createHmac("sha256", key).update(toSign).digest("hex");
  const sent = { ...signed, note, ...change };
  return fetch(`${aws.host.address}${sent.path}${sent.query === "" ? "" : `?${sent.query}`}`, {
    method: sent.body === "" ? sent.method : "POST",
    headers: {
      authorization: `AWS4-HMAC-SHA256 Credential=${keys.accessKeyId}/${scope.join("/")}, SignedHeaders=host;x-amz-date;x-note, Signature=${signature}`,
      "x-amz-date": time,
      "x-note": sent.note,
    },
    ...(sent.body === "" ? {} : { body: sent.body }),
  });
}
