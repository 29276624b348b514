import { expect, test } from "vitest";
import { textOf } from "../../values/read-value.ts";
import { callProvider, type ProviderCalls } from "../../testing/call-provider.ts";
import { changeConditions } from "../../cloud/conditions.ts";
import type { ValueMap } from "../../values/value.ts";
import { awsProvider } from "../provider.ts";

const open = (region = "eu-west-1"): ProviderCalls => callProvider(awsProvider, { config: { region } });
const read = async (aws: ProviderCalls, type: string, config: ValueMap = {}): Promise<ValueMap> => {
  const { state, said } = await aws.data(type, config);
  if (state === null) throw new Error(said.join());
  return state;
};

// The expected document is the real provider's output for this input.
test("a policy document is rendered exactly as the real provider renders it", async () => {
  const { json } = await read(open(), "aws_iam_policy_document", {
    statement: [
      {
        sid: "One",
        actions: ["s3:GetObject", "s3:ListBucket"],
        resources: ["arn:aws:s3:::logs/&{aws:username}/*"],
        principals: [{ type: "AWS", identifiers: ["*"] }],
        condition: [{ test: "StringEquals", variable: "aws:SourceVpc", values: ["vpc-1"] }],
      },
      { effect: "Deny", not_actions: ["iam:*"], resources: ["*"], principals: [{ type: "*", identifiers: ["*"] }] },
    ],
  });
  expect(json).toBe(`{
  "Version": "2012-10-17",
  "Statement": [
    {
      "Sid": "One",
      "Effect": "Allow",
      "Action": [
        "s3:ListBucket",
        "s3:GetObject"
      ],
      "Resource": "arn:aws:s3:::logs/\${aws:username}/*",
      "Principal": {
        "AWS": "*"
      },
      "Condition": {
        "StringEquals": {
          "aws:SourceVpc": "vpc-1"
        }
      }
    },
    {
      "Effect": "Deny",
      "NotAction": "iam:*",
      "Resource": "*",
      "Principal": "*"
    }
  ]
}`);
});

test("policy documents are merged, and duplicate statements are overridden or rejected", async () => {
  const document = (sid: string, action: string): string =>
    JSON.stringify({ Version: "2012-10-17", Statement: [{ Sid: sid, Effect: "Allow", Action: action, Resource: "*" }] });
  const sources = { source_policy_documents: [document("a", "s3:*"), document("b", "ec2:*")] };
  const { minified_json: text } = await read(open(), "aws_iam_policy_document", {
    ...sources,
    override_policy_documents: [document("b", "eks:*")],
  });
  expect(JSON.parse(textOf(text))).toMatchObject({ Statement: [{ Action: "s3:*" }, { Action: "eks:*" }] });
  const twins = { source_policy_documents: [document("a", "s3:*"), document("a", "ec2:*")] };
  expect((await open().data("aws_iam_policy_document", twins)).said).toEqual([expect.stringContaining("duplicate Sid (a)")]);
});

test("identity and partition depend on the region", async () => {
  const china = open("cn-north-1");
  expect(await read(china, "aws_partition")).toMatchObject({ partition: "aws-cn", dns_suffix: "amazonaws.com.cn" });
  expect(await read(open(), "aws_region")).toMatchObject({ region: "eu-west-1", name: "eu-west-1" });
  expect((await read(open(), "aws_caller_identity"))["account_id"]).toMatch(/^\d{12}$/);
  const zones = { filter: [{ name: "zone-name", values: ["*b"] }] };
  expect(await read(open(), "aws_availability_zones", zones)).toMatchObject({ names: ["eu-west-1b"], zone_ids: ["euw1-az2"] });
});

test("networks and subnets are found by filters and tags", async () => {
  const aws = open();
  const vpc = (await aws.create("aws_vpc", { cidr_block: "10.0.0.0/16", tags: { Name: "main" } })).state ?? {};
  const subnets: string[] = [];
  for (const [index, letter] of ["a", "b"].entries()) {
    const range = { cidr_block: `10.0.${index}.0/24`, availability_zone: `eu-west-1${letter}` };
    const { state } = await aws.create("aws_subnet", { vpc_id: textOf(vpc["id"]), ...range });
    subnets.push(textOf(state?.["id"]));
  }
  expect((await read(aws, "aws_vpc", { tags: { Name: "main" } }))["id"]).toBe(vpc["id"]);
  expect((await aws.data("aws_vpc", { tags: { Name: "other" } })).said).toEqual(["no matching EC2 VPC found"]);
  const filters = [
    { name: "vpc-id", values: [textOf(vpc["id"])] },
    { name: "availability-zone", values: ["eu-west-1b"] },
  ];
  expect((await read(aws, "aws_subnets", { filter: filters }))["ids"]).toEqual(subnets.slice(1));
  expect((await read(aws, "aws_subnets", { filter: [{ name: "constructor", values: ["*"] }] }))["ids"]).toEqual([]);
});

test("data sources return the instance types, versions and images that AWS offers", async () => {
  const aws = open();
  const versions = await read(aws, "aws_eks_cluster_versions", { default_only: true });
  expect(versions["cluster_versions"]).toMatchObject([{ cluster_version: "1.35", version_status: "STANDARD_SUPPORT" }]);
  const addon = { addon_name: "coredns", kubernetes_version: "1.34" };
  expect((await read(aws, "aws_eks_addon_version", addon))["version"]).toMatch(/^v1\.12\./);
  const wanted = { location_type: "availability-zone", filter: [{ name: "instance-type", values: ["m7g.large"] }] };
  expect((await read(aws, "aws_ec2_instance_type_offerings", wanted))["locations"]).toHaveLength(3);
  await changeConditions(aws.inventory, "a", { quotas: { "vpcs-per-region": 7 } });
  const quota = await read(aws, "aws_servicequotas_service_quota", { service_code: "vpc", quota_code: "L-F678F1CE" });
  expect(quota).toMatchObject({ value: 7, default_value: 5, quota_name: "VPCs per Region" });
  const image = { name: "/aws/service/eks/optimized-ami/1.34/amazon-linux-2023/x86_64/standard/recommended/image_id" };
  expect((await read(aws, "aws_ssm_parameter", image))["value"]).toMatch(/^ami-[0-9a-f]{17}$/);
  expect((await aws.data("aws_ssm_parameter", { name: "/mine" })).said).toEqual([expect.stringContaining("ParameterNotFound")]);
  expect((await aws.data("aws_eks_cluster", { name: "none" })).said).toEqual([expect.stringContaining("No cluster found")]);
});
