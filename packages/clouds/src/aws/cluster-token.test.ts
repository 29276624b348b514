import { pickChildEnvironment, processEnvironment, requireTool, Secret } from "@cloudwright/platform";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { createClusterToken, tokenPrefix } from "./cluster-token.ts";
import type { CredentialSource } from "./credentials.ts";

const keys = { accessKeyId: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPx" };
const source: CredentialSource = {
  get: async () => ({
    accessKeyId: keys.accessKeyId,
    secretAccessKey: new Secret(keys.secretAccessKey),
    sessionToken: new Secret("a+session/token=="),
    expiresAtMs: Number.POSITIVE_INFINITY,
  }),
  trouble: () => undefined,
};
const decode = (token: string): URL => new URL(Buffer.from(token.slice(tokenPrefix.length), "base64url").toString());

test("M129 a cluster token is a presigned identity request, valid for this cluster and one minute", async () => {
  const token = (await createClusterToken(source, { cluster: "main", region: "eu-west-1" })).reveal();
  expect(token).toMatch(/^k8s-aws-v1\.[\w-]+$/);
  const { host, searchParams } = decode(token);
  expect(host).toBe("sts.eu-west-1.amazonaws.com");
  expect(Object.fromEntries(searchParams)).toMatchObject({
    Action: "GetCallerIdentity",
    "X-Amz-Expires": "60",
    "X-Amz-SignedHeaders": "host;x-k8s-aws-id",
    "X-Amz-Security-Token": "a+session/token==",
  });
  expect(searchParams.get("X-Amz-Credential")).toMatch(/^AKIAIOSFODNN7EXAMPLE\/\d{8}\/eu-west-1\/sts\/aws4_request$/);
});

const aws = requireTool("aws");
describe.skipIf(!aws.found)(`the aws command${aws.found ? "" : `: ${aws.reason}`}`, () => {
  test("M129 creates the same token for the same time", async () => {
    const env = {
      ...pickChildEnvironment(processEnvironment),
      AWS_ACCESS_KEY_ID: keys.accessKeyId,
      AWS_SECRET_ACCESS_KEY: keys.secretAccessKey,
      AWS_SESSION_TOKEN: "a+session/token==",
      AWS_EC2_METADATA_DISABLED: "true",
    };
    const args = ["eks", "get-token", "--cluster-name", "main", "--region", "eu-west-1", "--output", "json"];
    const { stdout } = await promisify(execFile)(aws.found ? aws.path : "", args, { env });
    const theirs = decode((JSON.parse(stdout) as { status: { token: string } }).status.token).searchParams;
    const [, date, time] = /^(\d{8})T(\d{6})Z$/.exec(theirs.get("X-Amz-Date") ?? "") ?? [];
    const signedAt = new Date(`${date?.replace(/(....)(..)(..)/, "$1-$2-$3")}T${time?.replace(/(..)(..)(..)/, "$1:$2:$3")}Z`);
    const ours = decode((await createClusterToken(source, { cluster: "main", region: "eu-west-1", signedAt })).reveal());
    expect(Object.fromEntries(ours.searchParams)).toEqual(Object.fromEntries(theirs));
  });
});
