import { CreateKeyPairCommand, CreateTagsCommand, CreateVpcCommand } from "@aws-sdk/client-ec2";
import { CreateClusterCommand } from "@aws-sdk/client-eks";
import {
  CreateRoleCommand,
  ListRolesCommand,
  PutRolePolicyCommand,
  TagRoleCommand,
  UpdateAssumeRolePolicyCommand,
  type CreateRoleCommandInput,
  type Tag,
} from "@aws-sdk/client-iam";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createApiIdentity } from "../../api/identity.ts";
import { takePage } from "../../api/pages.ts";
import { createMemoryInventory } from "../../inventory/memory-inventory.ts";
import { renderQueryAnswer } from "./query-protocol.ts";
import { openAws, type AwsUnderTest, type Clients } from "./testing/open-aws.ts";
import { Secret, systemClock } from "@cloudwright/platform";

let aws: AwsUnderTest;
let clients: Clients;
beforeEach(async () => {
  aws = await openAws();
  clients = aws.connect(await aws.keysOf("a"));
});
afterEach(() => aws.close());

const nameOf = (error: Error): string => error.name;
const text = (length: number): string => "x".repeat(length);
/** A policy document of a given length. */
const policy = (length: number): string => {
  const Statement = [{ Effect: "Allow", Principal: { Service: "eks.amazonaws.com" }, Action: "sts:AssumeRole" }];
  const render = (Id: string): string => JSON.stringify({ Version: "2012-10-17", Id, Statement });
  return render(text(length - render("").length));
};
const tags = (count: number, prefix = "t"): Tag[] =>
  Array.from({ length: count }, (_, index) => ({ Key: `${prefix}${index}`, Value: "v" }));

test("X063 IAM refuses documents, names, descriptions and tags beyond its quotas", async () => {
  const { iam } = clients;
  const create = (more: Partial<CreateRoleCommandInput>) =>
    iam.send(new CreateRoleCommand({ RoleName: "r", AssumeRolePolicyDocument: policy(200), ...more })).then(() => "", nameOf);
  expect(await create({ AssumeRolePolicyDocument: policy(2049) })).toBe("LimitExceededException");
  expect(await create({ AssumeRolePolicyDocument: policy(900_000) })).toBe("ValidationError");
  expect(await create({ RoleName: text(65) })).toBe("ValidationError");
  expect(await create({ Path: `/${text(512)}` })).toBe("ValidationError");
  expect(await create({ Description: text(1001) })).toBe("ValidationError");
  expect(await create({ PermissionsBoundary: text(4097) })).toBe("ValidationError");
  expect(await create({ Tags: tags(51) })).toBe("LimitExceededException");
  expect(await create({ Tags: [{ Key: "k", Value: text(257) }] })).toBe("ValidationError");
  expect(await create({ AssumeRolePolicyDocument: `${policy(2048)}\n  `, Description: text(1000), Tags: tags(50) })).toBe("");
  const role = { RoleName: "r" };
  await expect(iam.send(new TagRoleCommand({ ...role, Tags: tags(1, "more") }))).rejects.toMatchObject({
    name: "LimitExceededException",
  });
  const update = new UpdateAssumeRolePolicyCommand({ ...role, PolicyDocument: policy(2049) });
  await expect(iam.send(update)).rejects.toMatchObject({ name: "LimitExceededException" });
  const put = (PolicyName: string, length: number) =>
    iam.send(new PutRolePolicyCommand({ ...role, PolicyName, PolicyDocument: policy(length) })).then(() => "", nameOf);
  expect(await put("a", 10_241)).toBe("LimitExceededException");
  expect(await put("a", 6000)).toBe("");
  expect(await put("a", 7000)).toBe("");
  expect(await put("b", 4000)).toBe("LimitExceededException");
  expect(await put("b", 3000)).toBe("");
});

test("X063 EC2 and EKS refuse names and tags that are too long, and too many tags", async () => {
  const { ec2, eks } = clients;
  const send = (Tags: Tag[]) =>
    ec2
      .send(new CreateVpcCommand({ CidrBlock: "10.0.0.0/16", TagSpecifications: [{ ResourceType: "vpc", Tags }] }))
      .then(({ Vpc }) => Vpc?.VpcId ?? "", nameOf);
  expect(await send(tags(51))).toBe("TagLimitExceeded");
  expect(await send([{ Key: text(129), Value: "" }])).toBe("InvalidParameterValue");
  const vpc = await send(tags(50));
  expect(vpc).toMatch(/^vpc-/);
  const more = new CreateTagsCommand({ Resources: [vpc], Tags: tags(1, "more") });
  await expect(ec2.send(more)).rejects.toMatchObject({ name: "TagLimitExceeded" });
  await expect(ec2.send(new CreateKeyPairCommand({ KeyName: text(256) }))).rejects.toMatchObject({
    name: "InvalidParameterValue",
  });
  const cluster = { name: "dev", roleArn: "arn:aws:iam::123456789012:role/x", resourcesVpcConfig: { subnetIds: ["subnet-a"] } };
  const many = Object.fromEntries(tags(100_000 / 50).map(({ Key = "" }) => [Key, "v"]));
  for (const given of [{ tags: many }, { tags: { k: text(257) } }, { version: text(5000) }])
    await expect(eks.send(new CreateClusterCommand({ ...cluster, ...given }))).rejects.toMatchObject({
      name: "InvalidParameterException",
    });
});

test("X063 an account has at most a thousand resources of a type", async () => {
  for (let index = 0; index < 999; index++)
    await aws.inventory.put("a", { type: "aws_iam_role", id: `r${index}`, attributes: { name: `r${index}` } });
  const create = (RoleName: string) =>
    clients.iam.send(new CreateRoleCommand({ RoleName, AssumeRolePolicyDocument: policy(200) }));
  await create("last");
  await expect(create("more")).rejects.toMatchObject({ name: "ValidationError" });
});

test("X063 a page ends early if its items are large, and the pages together are complete", async () => {
  const identity = createApiIdentity({ secret: new Secret("x"), inventory: createMemoryInventory(), clock: systemClock });
  const items = Array.from({ length: 10 }, (_, index) => ({ id: `${index}`, text: text(index === 5 ? 3_000_000 : 300_000) }));
  const sizes: number[] = [];
  let token = "";
  do {
    const page = takePage(identity, items, ({ id }) => id, { size: 1000, token, query: {} });
    sizes.push(page?.items.length ?? 0);
    token = page?.next ?? "";
  } while (token !== "");
  expect(sizes).toEqual([3, 2, 1, 3, 1]);
  const large = text(30_000);
  for (let index = 0; index < 100; index++)
    await aws.inventory.put("a", {
      type: "aws_iam_role",
      id: `r${index}`,
      attributes: { name: `r${index}`, assume_role_policy: large },
    });
  const first = await clients.iam.send(new ListRolesCommand({}));
  expect(first.IsTruncated).toBe(true);
  expect(first.Roles?.length).toBeLessThan(40);
});

test("M150 strings in XML are escaped, and characters that XML cannot contain are replaced", () => {
  const { body } = renderQueryAnswer("ec2", "X", { content: { a: "<&>\"' \u0001\u001f\t\n\r\ufffe \u0085é😀" } }, "id");
  expect(body).toContain("<a>&lt;&amp;&gt;&quot;&apos; ??\t\n\r? \u0085é😀</a>");
});
