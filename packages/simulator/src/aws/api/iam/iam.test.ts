import {
  AddRoleToInstanceProfileCommand,
  AttachRolePolicyCommand,
  CreateInstanceProfileCommand,
  CreateRoleCommand,
  DeleteInstanceProfileCommand,
  DeleteRoleCommand,
  DeleteRolePolicyCommand,
  DetachRolePolicyCommand,
  GetInstanceProfileCommand,
  GetRoleCommand,
  GetRolePolicyCommand,
  ListAttachedRolePoliciesCommand,
  ListRolesCommand,
  ListRoleTagsCommand,
  PutRolePolicyCommand,
  RemoveRoleFromInstanceProfileCommand,
  TagRoleCommand,
} from "@aws-sdk/client-iam";
import { CreateClusterCommand } from "@aws-sdk/client-eks";
import { afterEach, beforeEach, expect, test } from "vitest";
import { changeConditions } from "../../../cloud/conditions.ts";
import { openAws, seedSubnets, type AwsUnderTest, type Clients } from "../testing/open-aws.ts";

let aws: AwsUnderTest;
let clients: Clients;

beforeEach(async () => {
  aws = await openAws();
  clients = aws.connect(await aws.keysOf("a"));
});
afterEach(() => aws.close());

const nameOf = (error: Error): string => error.name;
const AssumeRolePolicyDocument = JSON.stringify({
  Version: "2012-10-17",
  Statement: [{ Effect: "Allow", Principal: { Service: "eks.amazonaws.com" }, Action: "sts:AssumeRole" }],
});
const RoleName = "cluster";

test("M163 a role has policies and tags, and can be deleted only after its policies are removed", async () => {
  const { iam } = clients;
  const { Role } = await iam.send(
    new CreateRoleCommand({ RoleName, AssumeRolePolicyDocument, Tags: [{ Key: "a", Value: "b" }] }),
  );
  expect(Role).toMatchObject({ RoleName, Path: "/", Arn: expect.stringMatching(/^arn:aws:iam::\d{12}:role\/cluster$/) });
  expect(decodeURIComponent(Role?.AssumeRolePolicyDocument ?? "")).toBe(AssumeRolePolicyDocument);
  await expect(iam.send(new CreateRoleCommand({ RoleName, AssumeRolePolicyDocument })).catch(nameOf)).resolves.toBe(
    "EntityAlreadyExistsException",
  );
  await expect(iam.send(new CreateRoleCommand({ RoleName: "bad", AssumeRolePolicyDocument: "{" })).catch(nameOf)).resolves.toBe(
    "MalformedPolicyDocumentException",
  );
  const PolicyArn = "arn:aws:iam::aws:policy/AmazonEKSClusterPolicy";
  for (let repeat = 0; repeat < 2; repeat++) await iam.send(new AttachRolePolicyCommand({ RoleName, PolicyArn }));
  expect((await iam.send(new ListAttachedRolePoliciesCommand({ RoleName }))).AttachedPolicies).toEqual([
    { PolicyArn, PolicyName: "AmazonEKSClusterPolicy" },
  ]);
  const document = JSON.stringify({ Statement: [] });
  await iam.send(new PutRolePolicyCommand({ RoleName, PolicyName: "own", PolicyDocument: document }));
  const own = await iam.send(new GetRolePolicyCommand({ RoleName, PolicyName: "own" }));
  expect(decodeURIComponent(own.PolicyDocument ?? "")).toBe(document);
  await iam.send(new TagRoleCommand({ RoleName, Tags: [{ Key: "c", Value: "d" }] }));
  expect((await iam.send(new ListRoleTagsCommand({ RoleName }))).Tags).toEqual([
    { Key: "a", Value: "b" },
    { Key: "c", Value: "d" },
  ]);
  await expect(iam.send(new DeleteRoleCommand({ RoleName })).catch(nameOf)).resolves.toBe("DeleteConflictException");
  await iam.send(new DetachRolePolicyCommand({ RoleName, PolicyArn }));
  await iam.send(new DeleteRolePolicyCommand({ RoleName, PolicyName: "own" }));
  await iam.send(new DeleteRoleCommand({ RoleName }));
  await expect(iam.send(new GetRoleCommand({ RoleName })).catch(nameOf)).resolves.toBe("NoSuchEntityException");
});

test("M163 roles are listed in pages, and an instance profile contains one role", async () => {
  const { iam } = clients;
  for (const name of ["x", "y", "z"]) await iam.send(new CreateRoleCommand({ RoleName: name, AssumeRolePolicyDocument }));
  const first = await iam.send(new ListRolesCommand({ MaxItems: 2 }));
  expect([first.IsTruncated, first.Roles?.length]).toEqual([true, 2]);
  const second = await iam.send(new ListRolesCommand({ MaxItems: 2, Marker: first.Marker }));
  expect([second.IsTruncated, second.Roles?.map((role) => role.RoleName)]).toEqual([false, ["z"]]);
  const InstanceProfileName = "nodes";
  await iam.send(new CreateInstanceProfileCommand({ InstanceProfileName }));
  await iam.send(new AddRoleToInstanceProfileCommand({ InstanceProfileName, RoleName: "x" }));
  const { InstanceProfile } = await iam.send(new GetInstanceProfileCommand({ InstanceProfileName }));
  expect(InstanceProfile?.Roles?.map((role) => role.RoleName)).toEqual(["x"]);
  await expect(iam.send(new DeleteInstanceProfileCommand({ InstanceProfileName })).catch(nameOf)).resolves.toBe(
    "DeleteConflictException",
  );
  await iam.send(new RemoveRoleFromInstanceProfileCommand({ InstanceProfileName, RoleName: "x" }));
  await iam.send(new DeleteInstanceProfileCommand({ InstanceProfileName }));
});

test("M149 a role that was just created is not known to EKS until the cloud's lag is over", async () => {
  await seedSubnets(aws.inventory, "a");
  await changeConditions(aws.inventory, "a", { lagMs: 10_000 });
  const { Role } = await clients.iam.send(new CreateRoleCommand({ RoleName, AssumeRolePolicyDocument }));
  const create = () =>
    clients.eks.send(
      new CreateClusterCommand({
        name: "dev",
        roleArn: Role?.Arn,
        resourcesVpcConfig: { subnetIds: ["subnet-a", "subnet-b"] },
      }),
    );
  await expect(create().catch(nameOf)).resolves.toBe("InvalidParameterException");
  aws.advance(10_000);
  expect((await create()).cluster?.name).toBe("dev");
});
