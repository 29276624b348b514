import * as EC2 from "@aws-sdk/client-ec2";
import * as EKS from "@aws-sdk/client-eks";
import * as IAM from "@aws-sdk/client-iam";
import * as STS from "@aws-sdk/client-sts";
import { createApiIdentity } from "../../../api/identity.ts";
import { Secret } from "@cloudwright/platform";
import { changeConditions } from "../../../cloud/conditions.ts";
import { accountOf } from "../../place.ts";
import { issueWebIdentityToken } from "../sts/operations.ts";
import { seedSubnets, type AwsUnderTest, type Clients } from "./open-aws.ts";

const trust = (principal: object): string =>
  JSON.stringify({
    Statement: [{ Effect: "Allow", Principal: principal, Action: ["sts:AssumeRole", "sts:AssumeRoleWithWebIdentity"] }],
  });

/** Calls every operation of the simulated services at least once. */
export async function useEverything(aws: AwsUnderTest): Promise<void> {
  const clients = aws.connect(await aws.keysOf("a"));
  await seedSubnets(aws.inventory, "a");
  await changeConditions(aws.inventory, "a", { timeScale: 0.0001 });
  await useIdentity(aws, clients);
  await useNetworks(clients.ec2);
  await useMachines(clients.ec2);
  await useClusters(clients.eks);
}

async function until(read: () => Promise<string | undefined>, wanted: string): Promise<void> {
  for (let tries = 0; tries < 1000; tries++) {
    if (((await read()) ?? "gone") === wanted) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`not ${wanted}`);
}

const gone = (): undefined => undefined;

async function useIdentity(aws: AwsUnderTest, { iam, sts }: Clients): Promise<void> {
  const RoleName = "everything";
  const principals = { AWS: "*", Federated: "accounts.example.org", Service: "eks.amazonaws.com" };
  const request = { RoleName, AssumeRolePolicyDocument: trust(principals), Description: "all", Tags: [{ Key: "a", Value: "b" }] };
  await iam.send(new IAM.CreateRoleCommand(request));
  await iam.send(new IAM.GetRoleCommand({ RoleName }));
  await iam.send(new IAM.ListRolesCommand({}));
  await iam.send(new IAM.UpdateAssumeRolePolicyCommand({ RoleName, PolicyDocument: trust(principals) }));
  await iam.send(new IAM.TagRoleCommand({ RoleName, Tags: [{ Key: "c", Value: "d" }] }));
  await iam.send(new IAM.ListRoleTagsCommand({ RoleName }));
  await iam.send(new IAM.UntagRoleCommand({ RoleName, TagKeys: ["c"] }));
  const PolicyArn = "arn:aws:iam::aws:policy/AmazonEKSClusterPolicy";
  await iam.send(new IAM.GetPolicyCommand({ PolicyArn }));
  await iam.send(new IAM.AttachRolePolicyCommand({ RoleName, PolicyArn }));
  await iam.send(new IAM.ListAttachedRolePoliciesCommand({ RoleName }));
  await iam.send(new IAM.DetachRolePolicyCommand({ RoleName, PolicyArn }));
  await iam.send(new IAM.PutRolePolicyCommand({ RoleName, PolicyName: "own", PolicyDocument: trust({}) }));
  await iam.send(new IAM.GetRolePolicyCommand({ RoleName, PolicyName: "own" }));
  await iam.send(new IAM.ListRolePoliciesCommand({ RoleName }));
  await iam.send(new IAM.DeleteRolePolicyCommand({ RoleName, PolicyName: "own" }));
  const InstanceProfileName = "everything";
  await iam.send(new IAM.CreateInstanceProfileCommand({ InstanceProfileName, Tags: [{ Key: "a", Value: "b" }] }));
  await iam.send(new IAM.AddRoleToInstanceProfileCommand({ InstanceProfileName, RoleName }));
  await iam.send(new IAM.GetInstanceProfileCommand({ InstanceProfileName }));
  await iam.send(new IAM.ListInstanceProfilesForRoleCommand({ RoleName }));
  await iam.send(new IAM.RemoveRoleFromInstanceProfileCommand({ InstanceProfileName, RoleName }));
  await iam.send(new IAM.DeleteInstanceProfileCommand({ InstanceProfileName }));
  await iam.send(new IAM.CreateServiceLinkedRoleCommand({ AWSServiceName: "spot.amazonaws.com" }));
  await iam.send(new IAM.GetUserCommand({}));
  await sts.send(new STS.GetCallerIdentityCommand({}));
  await sts.send(new STS.GetSessionTokenCommand({}));
  const role = { RoleArn: `arn:aws:iam::${accountOf("a")}:role/${RoleName}`, RoleSessionName: "all" };
  await sts.send(new STS.AssumeRoleCommand(role));
  const identity = createApiIdentity({ secret: new Secret("test"), inventory: aws.inventory, clock: { now: Date.now } });
  const WebIdentityToken = await issueWebIdentityToken(identity, "a", Date.now() + 60_000);
  await sts.send(new STS.AssumeRoleWithWebIdentityCommand({ ...role, WebIdentityToken }));
  await iam.send(new IAM.DeleteRoleCommand({ RoleName }));
}

async function useNetworks(ec2: Clients["ec2"]): Promise<void> {
  const Tags = [{ Key: "a", Value: "b" }];
  const TagSpecifications = [{ ResourceType: "vpc" as const, Tags }];
  const VpcId = (await ec2.send(new EC2.CreateVpcCommand({ CidrBlock: "10.9.0.0/16", TagSpecifications }))).Vpc?.VpcId;
  await ec2.send(new EC2.DescribeVpcsCommand({}));
  await ec2.send(new EC2.ModifyVpcAttributeCommand({ VpcId, EnableDnsSupport: { Value: false } }));
  await ec2.send(new EC2.DescribeVpcAttributeCommand({ VpcId, Attribute: "enableDnsSupport" }));
  const { Subnet } = await ec2.send(new EC2.CreateSubnetCommand({ VpcId, CidrBlock: "10.9.1.0/24" }));
  const SubnetId = Subnet?.SubnetId;
  await ec2.send(new EC2.DescribeSubnetsCommand({}));
  await ec2.send(new EC2.ModifySubnetAttributeCommand({ SubnetId, MapPublicIpOnLaunch: { Value: true } }));
  const { GroupId } = await ec2.send(new EC2.CreateSecurityGroupCommand({ GroupName: "g", Description: "g", VpcId }));
  const IpPermissions = [
    { IpProtocol: "tcp", FromPort: 1, ToPort: 2, IpRanges: [{ CidrIp: "10.0.0.0/8" }], UserIdGroupPairs: [{ GroupId }] },
  ];
  await ec2.send(new EC2.AuthorizeSecurityGroupIngressCommand({ GroupId, IpPermissions }));
  await ec2.send(new EC2.AuthorizeSecurityGroupEgressCommand({ GroupId, IpPermissions }));
  await ec2.send(new EC2.DescribeSecurityGroupsCommand({}));
  await ec2.send(new EC2.DescribeSecurityGroupRulesCommand({}));
  await ec2.send(new EC2.RevokeSecurityGroupIngressCommand({ GroupId, IpPermissions }));
  await ec2.send(new EC2.RevokeSecurityGroupEgressCommand({ GroupId, IpPermissions }));
  await ec2.send(new EC2.DeleteSecurityGroupCommand({ GroupId }));
  await ec2.send(new EC2.DeleteSubnetCommand({ SubnetId }));
  await ec2.send(new EC2.DeleteVpcCommand({ VpcId }));
  await ec2.send(new EC2.DescribeAvailabilityZonesCommand({}));
  await ec2.send(new EC2.DescribeRegionsCommand({}));
  await ec2.send(new EC2.DescribeInstanceTypesCommand({ InstanceTypes: ["t3.micro"] }));
  await ec2.send(new EC2.DescribeInstanceTypeOfferingsCommand({ MaxResults: 5 }));
  await ec2.send(new EC2.DescribeAccountAttributesCommand({}));
}

/** The calls may fail, because their effects take time. */
async function useVolumes(ec2: Clients["ec2"], InstanceId: string): Promise<void> {
  const made = await ec2.send(new EC2.CreateVolumeCommand({ AvailabilityZone: "eu-west-1a", Size: 1, VolumeType: "gp3" }));
  const { VolumeId = "" } = made;
  await ec2.send(new EC2.AttachVolumeCommand({ VolumeId, InstanceId, Device: "/dev/sdf" })).catch(() => undefined);
  await ec2.send(new EC2.DetachVolumeCommand({ VolumeId })).catch(() => undefined);
  await ec2.send(new EC2.ModifyVolumeCommand({ VolumeId, Size: 2 })).catch(() => undefined);
  await ec2.send(new EC2.DescribeVolumesModificationsCommand({}));
  await ec2.send(new EC2.DeleteVolumeCommand({ VolumeId })).catch(() => undefined);
}

async function useMachines(ec2: Clients["ec2"]): Promise<void> {
  const { Images } = await ec2.send(new EC2.DescribeImagesCommand({}));
  await ec2.send(new EC2.CreateKeyPairCommand({ KeyName: "one" }));
  const PublicKeyMaterial = Buffer.from(`ssh-ed25519 ${"A".repeat(68)} me`);
  await ec2.send(new EC2.ImportKeyPairCommand({ KeyName: "two", PublicKeyMaterial }));
  await ec2.send(new EC2.DescribeKeyPairsCommand({ KeyNames: ["two"] }));
  const { Instances } = await ec2.send(
    new EC2.RunInstancesCommand({
      ImageId: Images?.[0]?.ImageId,
      InstanceType: "t3.micro",
      SubnetId: "subnet-a",
      KeyName: "one",
      MinCount: 1,
      MaxCount: 1,
      IamInstanceProfile: { Name: "everything" },
      TagSpecifications: [{ ResourceType: "instance", Tags: [{ Key: "a", Value: "b" }] }],
    }),
  );
  const InstanceId = Instances?.[0]?.InstanceId ?? "";
  const InstanceIds = [InstanceId];
  const instanceIs = (status: string) =>
    until(
      async () =>
        (await ec2.send(new EC2.DescribeInstancesCommand({ InstanceIds }))).Reservations?.[0]?.Instances?.[0]?.State?.Name,
      status,
    );
  await instanceIs("running");
  await ec2.send(new EC2.DescribeInstanceStatusCommand({ InstanceIds }));
  await ec2.send(new EC2.DescribeVolumesCommand({}));
  await useVolumes(ec2, InstanceId);
  await ec2.send(new EC2.GetConsoleOutputCommand({ InstanceId }));
  await ec2.send(new EC2.ModifyInstanceAttributeCommand({ InstanceId, DisableApiTermination: { Value: false } }));
  await ec2.send(new EC2.DescribeInstanceAttributeCommand({ InstanceId, Attribute: "instanceType" }));
  await ec2.send(new EC2.RebootInstancesCommand({ InstanceIds }));
  await ec2.send(new EC2.CreateTagsCommand({ Resources: InstanceIds, Tags: [{ Key: "c", Value: "d" }] }));
  await ec2.send(new EC2.DescribeTagsCommand({}));
  await ec2.send(new EC2.DeleteTagsCommand({ Resources: InstanceIds, Tags: [{ Key: "c" }] }));
  await ec2.send(new EC2.StopInstancesCommand({ InstanceIds }));
  await instanceIs("stopped");
  await ec2.send(new EC2.StartInstancesCommand({ InstanceIds }));
  await ec2.send(new EC2.TerminateInstancesCommand({ InstanceIds })).catch(() => undefined);
  await ec2.send(new EC2.DeleteKeyPairCommand({ KeyName: "one" }));
}

async function useClusters(eks: Clients["eks"]): Promise<void> {
  const [clusterName, name] = ["all", "all"];
  const clusterIs = (status: string) =>
    until(async () => (await eks.send(new EKS.DescribeClusterCommand({ name })).catch(gone))?.cluster?.status, status);
  const groupIs = (status: string) =>
    until(
      async () =>
        (await eks.send(new EKS.DescribeNodegroupCommand({ clusterName, nodegroupName })).catch(gone))?.nodegroup?.status,
      status,
    );
  await eks.send(
    new EKS.CreateClusterCommand({
      name,
      version: "1.33",
      roleArn: "arn:aws:iam::123456789012:role/c",
      resourcesVpcConfig: { subnetIds: ["subnet-a", "subnet-b"] },
      accessConfig: { authenticationMode: "API" },
      logging: { clusterLogging: [{ types: ["api"], enabled: true }] },
      encryptionConfig: [{ resources: ["secrets"], provider: { keyArn: "arn:aws:kms:eu-west-1:123456789012:key/k" } }],
    }),
  );
  await clusterIs("ACTIVE");
  await eks.send(new EKS.ListClustersCommand({}));
  const nodegroupName = "all";
  await eks.send(
    new EKS.CreateNodegroupCommand({
      clusterName,
      nodegroupName,
      nodeRole: "arn:aws:iam::123456789012:role/n",
      subnets: ["subnet-a"],
      taints: [{ key: "a", effect: "NO_SCHEDULE" }],
      labels: { a: "b" },
    }),
  );
  await groupIs("ACTIVE");
  await eks.send(new EKS.ListNodegroupsCommand({ clusterName }));
  const { update } = await eks.send(
    new EKS.UpdateNodegroupConfigCommand({ clusterName, nodegroupName, scalingConfig: { maxSize: 3 } }),
  );
  await eks.send(new EKS.DescribeUpdateCommand({ name, nodegroupName, updateId: update?.id }));
  await eks.send(new EKS.ListUpdatesCommand({ name, nodegroupName }));
  await groupIs("ACTIVE");
  await eks.send(new EKS.UpdateClusterConfigCommand({ name, zonalShiftConfig: { enabled: true } }));
  await clusterIs("ACTIVE");
  await eks.send(new EKS.UpdateClusterVersionCommand({ name, version: "1.34" }));
  await clusterIs("ACTIVE");
  await eks.send(new EKS.UpdateNodegroupVersionCommand({ clusterName, nodegroupName }));
  await groupIs("ACTIVE");
  const principalArn = "arn:aws:iam::123456789012:user/alice";
  const policyArn = "arn:aws:eks::aws:cluster-access-policy/AmazonEKSViewPolicy";
  await eks.send(new EKS.CreateAccessEntryCommand({ clusterName, principalArn }));
  await eks.send(new EKS.DescribeAccessEntryCommand({ clusterName, principalArn }));
  await eks.send(new EKS.UpdateAccessEntryCommand({ clusterName, principalArn, kubernetesGroups: ["ops"] }));
  await eks.send(new EKS.ListAccessEntriesCommand({ clusterName }));
  await eks.send(
    new EKS.AssociateAccessPolicyCommand({ clusterName, principalArn, policyArn, accessScope: { type: "cluster" } }),
  );
  await eks.send(new EKS.ListAssociatedAccessPoliciesCommand({ clusterName, principalArn }));
  await eks.send(new EKS.DisassociateAccessPolicyCommand({ clusterName, principalArn, policyArn }));
  await eks.send(new EKS.DeleteAccessEntryCommand({ clusterName, principalArn }));
  const addonName = "coredns";
  await eks.send(new EKS.CreateAddonCommand({ clusterName, addonName }));
  await until(async () => (await eks.send(new EKS.DescribeAddonCommand({ clusterName, addonName }))).addon?.status, "ACTIVE");
  await eks.send(new EKS.ListAddonsCommand({ clusterName }));
  await eks.send(new EKS.DescribeAddonVersionsCommand({ addonName }));
  await eks.send(new EKS.DeleteAddonCommand({ clusterName, addonName }));
  await eks.send(new EKS.DescribeClusterVersionsCommand({}));
  const resourceArn = (await eks.send(new EKS.DescribeClusterCommand({ name }))).cluster?.arn;
  await eks.send(new EKS.TagResourceCommand({ resourceArn, tags: { a: "b" } }));
  await eks.send(new EKS.ListTagsForResourceCommand({ resourceArn }));
  await eks.send(new EKS.UntagResourceCommand({ resourceArn, tagKeys: ["a"] }));
  await eks.send(new EKS.DeleteNodegroupCommand({ clusterName, nodegroupName }));
  await groupIs("gone");
  await eks.send(new EKS.DeleteClusterCommand({ name }));
  await clusterIs("gone");
}
