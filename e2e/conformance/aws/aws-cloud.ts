import { pickChildEnvironment, processEnvironment, requireTool, type ToolProbe } from "@cloudwright/platform";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { waitUntil } from "../../wait-until.ts";
import type { Variables } from "../conformance-case.ts";
import type { LocalCloud } from "../local-cloud.ts";
import { startProxy } from "./aws-proxy.ts";
import type { EksService } from "./eks-service.ts";

/** An AWS emulator: moto behind a proxy that adds the features that moto lacks. */
export interface AwsCloud extends LocalCloud {
  /** In-memory emulation of EKS. */
  readonly eks: EksService;
  /** Parameters of the EC2 API calls that the proxy received, including the action, oldest first. */
  readonly ec2Calls: readonly URLSearchParams[];
  /** Uploads an object to S3. `path` consists of the bucket name, a slash and the object key. */
  putObject(path: string): Promise<void>;
  /** Calls moto's EC2 API and returns the response as XML. */
  callEc2(action: string, parameters: Readonly<Record<string, string>>): Promise<string>;
}

const region = "eu-west-1";
// AWS services that the product's configurations use.
const services = ["autoscaling", "ec2", "eks", "events", "iam", "kms", "logs", "s3", "s3control", "sqs", "ssm", "sts"];

/** The `moto_server` program, or the reason why it is missing. */
export const moto: ToolProbe = requireTool("moto_server");

/** Starts moto and its proxy on free ports. */
export async function startAwsCloud(program: string): Promise<AwsCloud> {
  const child = spawn(program, ["-H", "127.0.0.1", "-p", "0"], {
    // The configurations attach AWS managed policies to roles.
    env: { ...pickChildEnvironment(processEnvironment), MOTO_IAM_LOAD_MANAGED_POLICIES: "true" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = once(child, "exit");
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
  const portOf = (): string | undefined => /Running on http:\/\/127\.0\.0\.1:(\d+)/.exec(said)?.[1];
  await waitUntil("moto listens", () => portOf() !== undefined || child.exitCode !== null);
  const port = Number(portOf());
  if (Number.isNaN(port)) throw new Error(`moto exited: ${said}`);
  const proxy = await startProxy(port);
  const address = `http://127.0.0.1:${port}`;

  async function call(
    service: string,
    headers: Record<string, string>,
    body: string | URLSearchParams,
    path = "/",
  ): Promise<string> {
    const authorization = `AWS4-HMAC-SHA256 Credential=test/20260101/${region}/${service}/aws4_request, SignedHeaders=host, Signature=0`;
    const method = path === "/" ? "POST" : "PUT";
    const response = await fetch(address + path, { method, body, headers: { ...headers, authorization } });
    const text = await response.text();
    if (!response.ok) throw new Error(text);
    return text;
  }

  const callEc2: AwsCloud["callEc2"] = (action, parameters) =>
    call("ec2", {}, new URLSearchParams({ Action: action, Version: "2016-11-15", ...parameters }));

  /**
   * Creates the resources that cases refer to, and returns their ids, keyed by placeholder. The default VPC with its subnets exists
   * already.
   */
  async function createGiven(): Promise<ReadonlyMap<string, string>> {
    const found = await callEc2("DescribeSubnets", { "Filter.1.Name": "default-for-az", "Filter.1.Value.1": "true" });
    // Receives replicas.
    const bucket = "replicas-0123456789";
    await call(
      "s3",
      {},
      `<CreateBucketConfiguration><LocationConstraint>${region}</LocationConstraint></CreateBucketConfiguration>`,
      `/${bucket}`,
    );
    await call("s3", {}, "<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>", `/${bucket}?versioning`);
    return new Map([
      ["{vpc}", /<vpcId>([^<]+)</.exec(found)?.[1] ?? ""],
      ["{bucket}", bucket],
      ...[...found.matchAll(/<item>.*?<\/item>\s*(?=<item>\s*<|<\/subnetSet>)/gs)].map(([item]): [string, string] => [
        `{subnet ${/<availabilityZone>[^<]*(.)</.exec(item)?.[1] ?? ""}}`,
        /<subnetId>([^<]+)</.exec(item)?.[1] ?? "",
      ]),
    ]);
  }
  let given = await createGiven();

  return {
    eks: proxy.eks,
    ec2Calls: proxy.ec2Calls,
    callEc2,
    putObject: async (path) => void (await call("s3", {}, "hello", `/${path}`)),
    resolve: (variables) =>
      JSON.parse(
        JSON.stringify(variables).replaceAll(/\{(vpc|bucket|subnet \w)\}/g, (name) => given.get(name) ?? name),
      ) as Variables,
    async listResources() {
      const filters = { TagFilters: [{ Key: "cloudwright:entity" }], ResourcesPerPage: 100 };
      const target = "ResourceGroupsTaggingAPI_20170126.GetResources";
      const headers = { "content-type": "application/x-amz-json-1.1", "x-amz-target": target };
      const { ResourceTagMappingList: tagged } = JSON.parse(await call("tagging", headers, JSON.stringify(filters))) as {
        ResourceTagMappingList: { ResourceARN: string }[];
      };
      // Ignores resources that remain after a successful deletion: KMS keys in their waiting period, final snapshots of volumes, and
      // deleted NAT gateways that are still listed.
      const left = tagged.map(({ ResourceARN: arn }) => arn).filter((arn) => !/:kms:|:snapshot\/|:natgateway\//.test(arn));
      return [...left, ...proxy.eks.listClusters()];
    },
    // The provider builds large schemas at every start. Less frequent garbage collection makes that faster.
    environment: { GOGC: "400" },
    listForbidden: () => proxy.eks.violations,
    renderProvider: () => ({
      aws: {
        access_key: "test",
        secret_key: "test",
        skip_metadata_api_check: true,
        s3_use_path_style: true,
        http_proxy: proxy.address,
        https_proxy: "",
        endpoints: [Object.fromEntries(services.map((name) => [name, `http://${hostOf(name)}:${new URL(proxy.address).port}`]))],
      },
    }),
    async reset() {
      const response = await fetch(`${address}/moto-api/reset`, { method: "POST" });
      if (!response.ok) throw new Error(await response.text());
      proxy.reset();
      given = await createGiven();
    },
    async close() {
      proxy.close();
      child.kill("SIGKILL");
      await ended;
    },
  };
}

// For S3 Control, the SDK prepends the account id to this host name. The resulting name need not resolve, because requests go through a
// proxy.
function hostOf(service: string): string {
  return service === "s3control" ? "localhost" : "127.0.0.1";
}
