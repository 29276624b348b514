import { startMotoServer, type MotoServer } from "@cloudwright/clouds/testing";
import { deployerFaults, type Stack } from "@cloudwright/deployer";
import { Fault, requireTool, Secret } from "@cloudwright/platform";
import { readAllFiles } from "@cloudwright/terraform/testing";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createClouds } from "../clouds.ts";
import { faultOf, openTestPlatform, terraform, type TestEntity, type TestPlatform } from "../testing/test-platform.ts";

const moto = requireTool("moto_server");
const missing = [terraform, moto].flatMap((tool) => (tool.found ? [] : [tool.reason])).join(", ");

// Terraform's built-in S3 backend uses the same AWS library as the provider, so this configuration downloads nothing.
const main = `
terraform { required_version = ">= 1.9" }
resource "terraform_data" "first" { input = data.terraform_remote_state.first.outputs.word }
data "terraform_remote_state" "first" {
  backend = "s3"
  config  = { bucket = "words", key = "first", region = "eu-west-1", use_path_style = true }
}
data "terraform_remote_state" "second" {
  backend    = "s3"
  config     = { bucket = "words", key = "second", region = "eu-west-1", use_path_style = true }
  depends_on = [terraform_data.first]
}
output "word" { value = data.terraform_remote_state.second.outputs.word }
`;
const stack: Stack = {
  service: "probe",
  cloud: "aws",
  variables: () => ({}),
  environment: () => ({}),
  status: ({ word }) => ({ reads: word !== undefined }),
  findUntagged: () => undefined,
  prepareRemoval: async (_entity, _outputs, { countObjects }) => {
    throw new Fault(deployerFaults.bucket_not_empty, `${await countObjects?.("words")} objects are left`);
  },
};
const canary = "canary-7Kx2-secret-access-key";
const keys = { accessKeyId: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: canary };
const roleArn = "arn:aws:iam::123456789012:role/builder";
const refusal = { status: 403, body: "<Error><Code>InvalidAccessKeyId</Code><Message>the key was deleted</Message></Error>" };

describe.skipIf(missing !== "")(`a run in a real account${missing === "" ? "" : `: ${missing}`}`, () => {
  let platform: TestPlatform;
  let aws: MotoServer;
  let lines: string[];

  beforeAll(async () => {
    platform = await openTestPlatform();
    aws = await startMotoServer(moto.found ? moto.path : "");
    const folder = join(platform.directory, "more", "probe", "aws", "v0.1.0");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "main.tf"), main);
    writeFileSync(join(folder, "stack.json"), JSON.stringify({ terraform: ">= 1.9, < 2.0", providers: {}, upgradesFrom: [] }));
    const put = (path: string, body = ""): Promise<Response> =>
      fetch(`${aws.address}/${path}`, {
        method: "PUT",
        headers: { authorization: "AWS4-HMAC-SHA256 Credential=a/20260101/us-east-1/s3/aws4_request" },
        body,
      });
    await put("words");
    for (const word of ["first", "second"]) {
      const outputs = { word: { value: word, type: "string" } };
      await put(
        `words/${word}`,
        JSON.stringify({ version: 4, terraform_version: "1.11.4", serial: 1, lineage: "l", outputs, resources: [] }),
      );
    }
  });
  beforeEach(() => {
    lines = [];
    aws.refuse(undefined);
  });
  afterAll(async () => {
    await aws.close();
    await platform.close();
  });

  const open = (spec: object = { aws: keys }) => {
    const clouds = {
      endpoints: { AWS_ENDPOINT_URL: aws.address },
      identityTokenFiles: {},
      providerMirror: undefined,
    };
    const { directory } = platform;
    const given = createClouds({ directory, simulator: "files", cacheDirectory: join(directory, "cache"), clouds });
    const entity = platform.openEntity({ ...given, stacks: [stack], configurations: [join(directory, "more")] });
    const account = { ...entity.account, name: "prod", simulated: false };
    const openCredentials = async () => new Secret(spec as never);
    const run: TestEntity["run"] = (type, options) =>
      entity.run(type, { account, openCredentials, log: (line) => lines.push(line), ...options });
    return { run, apply: async () => run("probe.apply", { plan: (await run("probe.plan"))["plan"] as string }) };
  };
  const signedBy = (service: string) => new Set(aws.seen.filter((each) => each.service === service).map(({ keyId }) => keyId));

  test("M020 M072 is signed with the account's keys, which appear in no argument, environment, file or log", async () => {
    const { apply } = open();
    expect(await apply()).toMatchObject({ reads: true });
    expect(signedBy("s3")).toContain(keys.accessKeyId);
    const told = platform.started.map(({ args, env }) => JSON.stringify([args, env])).join("\n");
    expect(told).toContain("AWS_CONTAINER_CREDENTIALS_FULL_URI");
    for (const text of [told, lines.join("\n"), JSON.stringify([...platform.endpoint.plans])]) expect(text).not.toContain(canary);
    for (const bytes of readAllFiles(platform.directory).values()) expect(bytes.includes(canary)).toBe(false);
  });

  test("M020 assumes the account's role and uses the keys only for that", async () => {
    const from = aws.seen.length;
    await open({ aws: { ...keys, roleArn, externalId: "ours" } }).apply();
    const since = aws.seen.slice(from);
    const byKeys = new Set(since.filter(({ keyId }) => keyId === keys.accessKeyId).map(({ action }) => action));
    expect([...byKeys]).toEqual(["AssumeRole"]);
    expect(since.some(({ keyId, service }) => keyId.startsWith("ASIA") && service === "s3")).toBe(true);
  });

  test("M020 reports the revocation as the cause if credentials are revoked during the run", async () => {
    const { run } = open();
    const { plan } = await run("probe.plan");
    // The plan has already read from S3 once. The apply reads from S3 again after creating a resource.
    aws.refuse(({ service }) => (service === "s3" ? refusal : undefined));
    const fault = await faultOf(run("probe.apply", { plan: plan as string }));
    expect(fault).toMatchObject({ code: "deployer.credentials_refused", retry: "never" });
    expect(fault.message).toContain('"prod"');
    expect(fault.message).not.toContain(canary);
  });

  test("M020 fails with AWS's message if the role cannot be assumed", async () => {
    aws.refuse(({ action }) =>
      action === "AssumeRole"
        ? { status: 403, body: "<ErrorResponse><Error><Code>AccessDenied</Code></Error></ErrorResponse>" }
        : undefined,
    );
    const fault = await faultOf(open({ aws: { ...keys, roleArn } }).run("probe.plan"));
    expect(fault).toMatchObject({ code: "clouds.role_refused" });
    expect(fault.message).toContain(roleArn);
  });

  test("M020 verification reads the caller's identity and rejects any other account, naming both ids", async () => {
    const done = await open().run("account.verify");
    expect(done).toMatchObject({ account_id: "123456789012", identity: expect.stringContaining("arn:aws:") });
    const fault = await faultOf(open({ aws: { ...keys, accountId: "999999999999" } }).run("account.verify"));
    expect(fault).toMatchObject({ code: "clouds.wrong_account" });
    expect(fault.message).toMatch(/999999999999.*123456789012/);
  });

  test("M137 the objects that block the removal of a bucket are counted in the account", async () => {
    const fault = await faultOf(open().run("probe.destroy"));
    expect(fault).toMatchObject({ code: "deployer.bucket_not_empty" });
    expect(fault.message).toContain("2 objects");
  });
});
