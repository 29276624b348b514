import { chooseSeed, createRandom } from "@cloudwright/platform/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ec2Operations } from "./ec2/operations.ts";
import { eksOperations } from "./eks/operations.ts";
import { iamOperations } from "./iam/operations.ts";
import { stsOperations } from "./sts/operations.ts";
import { openAws, seedSubnets, type AwsUnderTest, type ClientKeys } from "./testing/open-aws.ts";
import { signRequest } from "./testing/sign-request.ts";

const services = { eks: eksOperations, ec2: ec2Operations, iam: iamOperations, sts: stsOperations };
const seed = chooseSeed();
let aws: AwsUnderTest;
let keys: ClientKeys;

beforeAll(async () => {
  console.log(`random requests to the AWS API use the seed ${seed}`);
  aws = await openAws();
  keys = await aws.keysOf("a");
  await seedSubnets(aws.inventory, "a");
});
afterAll(() => aws.close());

const { below: random, pick } = createRandom(seed);

const fields = [
  "name",
  "version",
  "roleArn",
  "resourcesVpcConfig",
  "subnetIds",
  "logging",
  "clusterLogging",
  "encryptionConfig",
  "nodegroupName",
  "scalingConfig",
  "desiredSize",
  "minSize",
  "subnets",
  "taints",
  "labels",
  "addOrUpdateLabels",
  "addOrUpdateTaints",
  "tags",
  "accessScope",
  "principalArn",
  "policyArn",
  "addonName",
  "clientRequestToken",
  "__proto__",
  "constructor",
  "",
] as const;
const texts = [
  "",
  "dev",
  "1.34",
  "subnet-a",
  "subnet-b",
  "arn:aws:iam::123456789012:role/x",
  "\u0000",
  "é😀",
  "x".repeat(300),
  "../..",
  "<a>&",
  "-1",
  "9e999",
];
const values = [null, true, false, 0, -1, 1.5, 1e21, Number.MAX_SAFE_INTEGER];

function randomValue(depth: number): unknown {
  const kind = random(depth > 3 ? 2 : 4);
  if (kind === 0) return pick(texts);
  if (kind === 1) return pick(values);
  if (kind === 2) return Array.from({ length: random(3) }, () => randomValue(depth + 1));
  return Object.fromEntries(Array.from({ length: random(6) }, () => [pick(fields), randomValue(depth + 1)]));
}

const parameters = [
  "VpcId",
  "SubnetId",
  "SubnetId.1",
  "InstanceId.1",
  "InstanceId.x",
  "GroupId",
  "GroupName",
  "GroupDescription",
  "CidrBlock",
  "ImageId",
  "InstanceType",
  "MinCount",
  "MaxCount",
  "Filter.1.Name",
  "Filter.1.Value.1",
  "Filter",
  "TagSpecification.1.Tag.1.Key",
  "TagSpecification.1.ResourceType",
  "IpPermissions.1.IpProtocol",
  "IpPermissions.1.IpRanges.1.CidrIp",
  "IpPermissions.1.FromPort",
  "BlockDeviceMapping.1.Ebs.VolumeSize",
  "MetadataOptions.HttpPutResponseHopLimit",
  "UserData",
  "KeyName",
  "PublicKeyMaterial",
  "Resource.1",
  "ResourceId.1",
  "Tag.1.Key",
  "MaxResults",
  "NextToken",
  "ClientToken",
  "Attribute",
  "RoleName",
  "AssumeRolePolicyDocument",
  "PolicyArn",
  "PolicyName",
  "PolicyDocument",
  "InstanceProfileName",
  "MaxItems",
  "Marker",
  "Tags.member.1.Key",
  "RoleArn",
  "RoleSessionName",
  "DurationSeconds",
  "AWSServiceName",
  "__proto__.x",
  "a.b.c.d.e.f.g.h.i.j",
] as const;

async function call(service: string, operation: (typeof eksOperations)[number]): Promise<Response> {
  const isRest = "path" in operation.match;
  const method = "path" in operation.match ? operation.match.method : "POST";
  const path =
    "path" in operation.match ? operation.match.path.replaceAll(/\{\w+\}/g, () => encodeURIComponent(pick(texts) || "x")) : "/";
  const form = new URLSearchParams({ Action: operation.name, Version: "2016-11-15" });
  for (let count = random(12); count > 0; count--) form.set(pick(parameters), pick([...texts, "vpc-1", "i-0", "5"]));
  const hasBody = method === "POST" || method === "PUT";
  const body = !hasBody
    ? ""
    : isRest
      ? pick([JSON.stringify(randomValue(0)), JSON.stringify({ name: "x", ...(randomValue(2) as object) }), "{", ""])
      : form.toString();
  const headers = isRest ? {} : { "content-type": "application/x-www-form-urlencoded" };
  const signed = signRequest({ method, path, body, service, headers }, aws.host.address, keys);
  return fetch(`${aws.host.address}${path}`, { method, headers: signed, ...(hasBody ? { body } : {}) });
}

test.each(Object.entries(services))(
  "M163 random requests to %s are answered or refused, and never cause an internal error",
  async (service, operations) => {
    const failed: string[] = [];
    let answered = 0;
    for (const operation of operations) {
      for (let round = 0; round < 12; round++) {
        const reply = await call(service, operation);
        const text = await reply.text();
        if (/[Ss]ignature/.test(text)) failed.push(`${operation.name}: the signature was refused`);
        if (reply.ok) answered++;
        if (reply.status >= 500 && !text.includes("InsufficientInstanceCapacity"))
          failed.push(`${operation.name}: ${reply.status} ${text}`);
      }
    }
    expect(failed).toEqual([]);
    expect(answered).toBeGreaterThan(0);
  },
);
