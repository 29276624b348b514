import { ListClustersCommand } from "@aws-sdk/client-eks";
import { AssumeRoleCommand, GetSessionTokenCommand, type Credentials } from "@aws-sdk/client-sts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { accountOf } from "../place.ts";
import { openAws, type AwsUnderTest, type ClientKeys } from "./testing/open-aws.ts";

let aws: AwsUnderTest;
let valid: Set<string>;
const asked: string[] = [];

beforeEach(async () => {
  valid = new Set(["alice", "bob"]);
  asked.length = 0;
  aws = await openAws({
    lastingKeys: false,
    isSourceValid: async (source, tenant) => {
      asked.push(`${source} ${tenant}`);
      return valid.has(source);
    },
  });
});
afterEach(() => aws.close());

const hourMs = 3_600_000;

async function keysFor(source: string, tenant = "a"): Promise<ClientKeys> {
  const origin = { source, expiresAtMs: Date.now() + 12 * hourMs };
  const { environment } = await aws.host.issue(tenant, "aws", { origin });
  return { accessKeyId: environment["AWS_ACCESS_KEY_ID"] ?? "", secretAccessKey: environment["AWS_SECRET_ACCESS_KEY"] ?? "" };
}

function attempt(keys: ClientKeys, systemClockOffset = 0): Promise<string> {
  const { eks } = aws.connect(keys, { systemClockOffset });
  return eks.send(new ListClustersCommand({})).then(
    () => "",
    (error: Error) => error.name,
  );
}

function toKeys(session: Credentials | undefined): ClientKeys {
  const { AccessKeyId = "", SecretAccessKey = "", SessionToken = "" } = session ?? {};
  return { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: SessionToken };
}

async function listSessions(keys: ClientKeys): Promise<readonly ClientKeys[]> {
  const { sts } = aws.connect(keys);
  const RoleArn = `arn:aws:iam::${accountOf("a")}:role/deploy`;
  const Principal = { AWS: `arn:aws:iam::${accountOf("a")}:root` };
  const policy = JSON.stringify({ Statement: [{ Effect: "Allow", Principal, Action: "sts:AssumeRole" }] });
  const attributes = { name: "deploy", assume_role_policy: policy, max_session_duration: 43_200, unique_id: "AROASIM" };
  await aws.inventory.put("a", { type: "aws_iam_role", id: "deploy", attributes });
  const direct = await sts.send(new GetSessionTokenCommand({ DurationSeconds: 129_600 }));
  const assumed = await sts.send(new AssumeRoleCommand({ RoleArn, RoleSessionName: "run", DurationSeconds: 43_200 }));
  const first = toKeys(assumed.Credentials);
  const chained = await aws.connect(first).sts.send(new AssumeRoleCommand({ RoleArn, RoleSessionName: "again" }));
  return [toKeys(direct.Credentials), first, toKeys(chained.Credentials)];
}

test("M150 a person's keys and sessions become invalid with the person's own credential, and those of others stay valid", async () => {
  const [alice, bob] = [await keysFor("alice"), await keysFor("bob")];
  expect(alice.secretAccessKey).not.toBe(bob.secretAccessKey);
  const sessions = await listSessions(alice);
  for (const keys of [alice, bob, ...sessions]) expect(await attempt(keys)).toBe("");
  expect(new Set(asked)).toEqual(new Set(["alice a", "bob a"]));
  valid.delete("alice");
  for (const keys of [alice, ...sessions]) expect(await attempt(keys)).toBe("UnrecognizedClientException");
  expect(await attempt(bob)).toBe("");
});

test("M150 keys expire, and no session outlives them", async () => {
  const keys = await keysFor("alice");
  const sessions = await listSessions(keys);
  aws.shift(13 * hourMs);
  for (const each of [keys, ...sessions]) expect(await attempt(each, 13 * hourMs)).toBe("ExpiredTokenException");
});

test("M150 keys that name no origin are refused, and nobody can change the origin in a key id", async () => {
  expect(await attempt(await aws.keysOf("a"))).toBe("UnrecognizedClientException");
  const [alice, bob] = [await keysFor("alice"), await keysFor("bob")];
  expect(await attempt({ ...alice, accessKeyId: bob.accessKeyId })).toBe("InvalidSignatureException");
  const uid = "01912345-6789-7abc-8def-0123456789ab";
  const { accessKeyId } = await keysFor(`${uid}~cw_aaaaaaa`, uid);
  expect(accessKeyId).toMatch(/^[A-Z0-9]{16,128}$/);
  for (let at = 7; at < accessKeyId.length; at += 9)
    expect(
      await attempt({ ...alice, accessKeyId: `${alice.accessKeyId.slice(0, at)}A${alice.accessKeyId.slice(at + 1)}x` }),
    ).not.toBe("");
});
