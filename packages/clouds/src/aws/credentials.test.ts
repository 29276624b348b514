import {
  createManualClock,
  pickChildEnvironment,
  processEnvironment,
  requireTool,
  Secret,
  systemClock,
  type Clock,
} from "@cloudwright/platform";
import { usesAgentIdentity } from "@cloudwright/contract/clouds";
import { execFile } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { startMotoServer, type MotoServer } from "../testing/index.ts";
import { readAwsAccess } from "./account-access.ts";
import { createAwsApi } from "./api.ts";
import { startCredentialEndpoint } from "./credential-endpoint.ts";
import { createCredentialSource, type CredentialSource } from "./credentials.ts";
import { verifyAwsAccount } from "./identity.ts";

const moto = requireTool("moto_server");
const roleArn = "arn:aws:iam::210987654321:role/cloudwright";
const keys = { accessKeyId: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: "wJalrXUtnFEMI" };

test("M020 the fault for an account without credentials names the account", () => {
  for (const aws of [{}, { accessKeyId: "AKIAIOSFODNN7EXAMPLE" }, { accessKeyId: "AKIAIOSFODNN7EXAMPLE", roleArn }]) {
    expect(() => readAwsAccess("prod", new Secret({ aws }))).toThrow(expect.objectContaining({ code: "clouds.no_credentials" }));
  }
});

test("X062 an account that needs no grant never uses the agent's identity, whichever fields it sets", () => {
  const texts = { accessKeyId: ["", keys.accessKeyId], secretAccessKey: ["", keys.secretAccessKey], roleArn: ["", roleArn] };
  const flags = { agentCredentials: [undefined, false, true], webIdentity: [undefined, false, true] };
  const fields = Object.entries({ ...texts, ...flags, externalId: ["", "theirs"] }) as [string, readonly unknown[]][];
  const specs = fields.reduce<Record<string, unknown>[]>(
    (all, [name, values]) => all.flatMap((spec) => values.map((value) => ({ ...spec, [name]: value }))),
    [{}],
  );
  expect(specs).toHaveLength(144);
  const origins = specs.flatMap((aws) => {
    // The API and placement see the account without its secrets.
    const { secretAccessKey: _secret, ...visible } = aws;
    return usesAgentIdentity({ aws: visible }) ? [] : [findOrigin(aws)];
  });
  expect(new Set(origins)).toEqual(new Set(["keys", "none"]));
});

function findOrigin(aws: Record<string, unknown>): string {
  try {
    return readAwsAccess("prod", new Secret({ aws })).first.by;
  } catch {
    return "none";
  }
}

test("M020 the agent's credentials take precedence over a leftover secret in the account", () => {
  expect(readAwsAccess("prod", new Secret({ aws: { ...keys, agentCredentials: true } })).first).toEqual({ by: "agent" });
  expect(readAwsAccess("prod", new Secret({ aws: { roleArn } })).first).toEqual({ by: "agent" });
});

describe.skipIf(!moto.found)(`M020 credentials of an AWS account${moto.found ? "" : `: ${moto.reason}`}`, () => {
  let server: MotoServer;
  beforeAll(async () => {
    server = await startMotoServer(moto.found ? moto.path : "");
  });
  beforeEach(() => server.refuse(undefined));
  afterAll(() => server.close());

  const open = (aws: object, options: { clock?: Clock; webIdentityTokenFile?: string } = {}): CredentialSource => {
    const { clock = systemClock, ...rest } = options;
    const endpoints = { AWS_ENDPOINT_URL: server.address };
    const openAccess = async () => readAwsAccess("prod", new Secret({ aws }));
    return createCredentialSource(
      { clock, openAccess },
      { endpoints, region: "eu-west-1", sessionName: "cloudwright-t", ...rest },
    );
  };
  const verify = (source: CredentialSource, expected?: string) => {
    const api = createAwsApi(source, { region: "eu-west-1", endpoints: { AWS_ENDPOINT_URL: server.address } });
    return verifyAwsAccount(api, "prod", expected).finally(() => api.close());
  };

  test("are verified by identity; the fault for a wrong account names both account IDs", async () => {
    expect(await verify(open(keys), "123456789012")).toMatchObject({ accountId: "123456789012" });
    const wrong = verify(open(keys), "999999999999");
    await expect(wrong).rejects.toMatchObject({ code: "clouds.wrong_account" });
    await expect(wrong).rejects.toThrow(/"prod" expects the AWS account 999999999999.*123456789012/);
  });

  test("assume a role with the account's external ID and session policy", async () => {
    server.refuse(({ action, body }) =>
      action === "AssumeRole" && body.get("ExternalId") !== "our-secret"
        ? { status: 403, body: "<ErrorResponse><Error><Code>AccessDenied</Code><Message>no</Message></Error></ErrorResponse>" }
        : undefined,
    );
    const sessionPolicy = '{"Version":"2012-10-17","Statement":[]}';
    const identity = await verify(open({ ...keys, roleArn, externalId: "our-secret", sessionPolicy }), "210987654321");
    expect(identity.identity).toBe("arn:aws:sts::210987654321:assumed-role/cloudwright/cloudwright-t");
    expect(server.seen.findLast(({ action }) => action === "AssumeRole")?.body.get("Policy")).toBe(sessionPolicy);
    await expect(verify(open({ ...keys, roleArn }))).rejects.toMatchObject({ code: "clouds.role_refused" });
  });

  test("assume a role with the token of the agent's machine, without signing the request", async () => {
    const file = join(tmpdir(), `cloudwright-token-${process.pid}`);
    writeFileSync(file, "a-token\n", { mode: 0o600 });
    try {
      const source = open({ webIdentity: true, roleArn }, { webIdentityTokenFile: file });
      expect(await verify(source, "210987654321")).toMatchObject({ accountId: "210987654321" });
      const asked = server.seen.findLast(({ action }) => action === "AssumeRoleWithWebIdentity");
      expect(asked).toMatchObject({ keyId: "" });
      expect(asked?.body.get("WebIdentityToken")).toBe("a-token");
    } finally {
      rmSync(file);
    }
    await expect(open({ webIdentity: true, roleArn }).get()).rejects.toMatchObject({ code: "clouds.no_credentials" });
  });

  test("start from the token and role of the agent's pod, and then assume the account's own role", async () => {
    const file = join(tmpdir(), `cloudwright-pod-${process.pid}`);
    writeFileSync(file, "a-pod-token", { mode: 0o600 });
    for (const name of ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"]) vi.stubEnv(name, undefined);
    for (const name of ["AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"]) vi.stubEnv(name, `${file}-none`);
    vi.stubEnv("AWS_WEB_IDENTITY_TOKEN_FILE", file);
    vi.stubEnv("AWS_ROLE_ARN", "arn:aws:iam::123456789012:role/pod");
    vi.stubEnv("AWS_REGION", "eu-west-1");
    vi.stubEnv("AWS_ENDPOINT_URL", server.address);
    try {
      expect(await verify(open({ agentCredentials: true }))).toMatchObject({ accountId: "123456789012" });
      expect(await verify(open({ agentCredentials: true, roleArn }), "210987654321")).toMatchObject({
        accountId: "210987654321",
      });
      const asked = server.seen.findLast(({ action }) => action === "AssumeRoleWithWebIdentity");
      expect([asked?.body.get("RoleArn"), asked?.body.get("WebIdentityToken")]).toEqual([
        "arn:aws:iam::123456789012:role/pod",
        "a-pod-token",
      ]);
    } finally {
      vi.unstubAllEnvs();
      rmSync(file);
    }
  });

  test("are renewed before they expire, once for all concurrent callers; a failure is reported with its reason", async () => {
    const clock = createManualClock(Date.now());
    const source = open({ ...keys, roleArn }, { clock });
    const before = server.seen.length;
    const [first, second] = await Promise.all([source.get(), source.get()]);
    expect(second).toBe(first);
    expect(await source.get()).toBe(first);
    expect(server.seen.length).toBe(before + 1);
    clock.advance(56 * 60_000);
    expect((await source.get()).accessKeyId).not.toBe(first.accessKeyId);
    expect(source.trouble()).toBeUndefined();
    clock.advance(60 * 60_000);
    server.refuse(() => ({
      status: 403,
      body: "<ErrorResponse><Error><Code>InvalidClientTokenId</Code></Error></ErrorResponse>",
    }));
    await expect(source.get()).rejects.toMatchObject({ code: "clouds.credentials_refused" });
    expect(source.trouble()).toMatchObject({ code: "clouds.credentials_refused" });
  });

  test("M072 are served only to programs that have the run's token", async () => {
    const endpoint = await startCredentialEndpoint(open({ ...keys, roleArn }));
    const url = endpoint.environment["AWS_CONTAINER_CREDENTIALS_FULL_URI"] ?? "";
    const token = endpoint.secretEnvironment["AWS_CONTAINER_AUTHORIZATION_TOKEN"]?.reveal() ?? "";
    const given = await fetch(url, { headers: { authorization: token } });
    expect(await given.json()).toMatchObject({ AccessKeyId: expect.stringMatching(/^ASIA/), Token: expect.stringMatching(/./) });
    for (const authorization of ["", `${token}x`, token.replace(/.$/, "-")]) {
      const refused = await fetch(url, { headers: { authorization } });
      expect(refused.status).toBe(403);
      expect(await refused.text()).not.toContain("ASIA");
    }
    await endpoint.close();
    await expect(fetch(url, { headers: { authorization: token } })).rejects.toThrow("fetch failed");
  });

  const command = requireTool("aws");
  test.skipIf(!command.found)("M064 are found by the aws command with only the run's environment", async () => {
    const endpoint = await startCredentialEndpoint(open({ ...keys, roleArn }));
    const env = {
      ...pickChildEnvironment(processEnvironment),
      HOME: tmpdir(),
      ...endpoint.environment,
      AWS_CONTAINER_AUTHORIZATION_TOKEN: endpoint.secretEnvironment["AWS_CONTAINER_AUTHORIZATION_TOKEN"]?.reveal(),
      AWS_ENDPOINT_URL: server.address,
    };
    const args = ["sts", "get-caller-identity", "--region", "eu-west-1", "--output", "json"];
    const { stdout } = await promisify(execFile)(command.found ? command.path : "", args, { env });
    expect(JSON.parse(stdout)).toMatchObject({
      Account: "210987654321",
      Arn: expect.stringContaining("assumed-role/cloudwright"),
    });
    await endpoint.close();
  });
});
