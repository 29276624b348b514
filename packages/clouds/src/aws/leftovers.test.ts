import {
  CreateNetworkInterfaceCommand,
  CreateSecurityGroupCommand,
  CreateSubnetCommand,
  CreateVolumeCommand,
  CreateVpcCommand,
} from "@aws-sdk/client-ec2";
import { CreateLoadBalancerCommand, CreateTargetGroupCommand } from "@aws-sdk/client-elastic-load-balancing-v2";
import { requireTool, Secret, systemClock } from "@cloudwright/platform";
import { describe, expect, test } from "vitest";
import { startMotoServer } from "../testing/index.ts";
import { createAwsApi } from "./api.ts";
import { createCredentialSource } from "./credentials.ts";
import { createAwsLeftovers } from "./leftovers.ts";

const moto = requireTool("moto_server");

describe.skipIf(!moto.found)(`a deleted cluster${moto.found ? "" : `: ${moto.reason}`}`, () => {
  test("X010 has leftover resources that are found by tag and removed, while other clusters' resources are kept", async () => {
    const server = await startMotoServer(moto.found ? moto.path : "");
    const keys = { by: "keys", accessKeyId: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: new Secret("s") } as const;
    const options = { endpoints: { AWS_ENDPOINT_URL: server.address }, region: "eu-west-1", sessionName: "t" };
    const source = createCredentialSource({ clock: systemClock, openAccess: async () => ({ first: keys }) }, options);
    const api = createAwsApi(source, options);
    const mine = { Key: "kubernetes.io/cluster/main", Value: "owned" };
    const tag = (ResourceType: string, ...Tags: object[]) => ({
      TagSpecifications: [{ ResourceType: ResourceType as "vpc", Tags }],
    });
    const volume = await api.call("leave something", async (clients) => {
      const [ec2, elb] = [await clients.ec2(), await clients.loadBalancing()];
      const { Vpc } = await ec2.send(new CreateVpcCommand({ CidrBlock: "10.0.0.0/16" }));
      const VpcId = Vpc?.VpcId ?? "";
      const { Subnet } = await ec2.send(new CreateSubnetCommand({ VpcId, CidrBlock: "10.0.0.0/24" }));
      const SubnetId = Subnet?.SubnetId ?? "";
      const group = { Description: "d", VpcId };
      await ec2.send(new CreateSecurityGroupCommand({ GroupName: "mine", ...group, ...tag("security-group", mine) }));
      const eks = { Key: "aws:eks:cluster-name", Value: "main" };
      await ec2.send(new CreateSecurityGroupCommand({ GroupName: "eks", ...group, ...tag("security-group", mine, eks) }));
      const run = { Key: "cloudwright:entity", Value: "uid" };
      await ec2.send(new CreateSecurityGroupCommand({ GroupName: "run", ...group, ...tag("security-group", mine, run) }));
      await ec2.send(new CreateNetworkInterfaceCommand({ SubnetId, ...tag("network-interface", mine) }));
      const other = { Key: "kubernetes.io/cluster/other", Value: "owned" };
      const disk = { AvailabilityZone: "eu-west-1a", Size: 1 };
      await ec2.send(new CreateVolumeCommand({ ...disk, ...tag("volume", other) }));
      await ec2.send(new CreateVolumeCommand({ ...disk, ...tag("volume", mine) }));
      const kept = await ec2.send(new CreateVolumeCommand({ ...disk, ...tag("volume", mine) }));
      const byController = [{ Key: "elbv2.k8s.aws/cluster", Value: "main" }];
      await elb.send(new CreateLoadBalancerCommand({ Name: "lb", Subnets: [SubnetId], Type: "network", Tags: byController }));
      await elb.send(new CreateTargetGroupCommand({ Name: "tg", Protocol: "TCP", Port: 80, VpcId, Tags: byController }));
      return kept.VolumeId ?? "";
    });
    const leftovers = createAwsLeftovers(api);
    await leftovers.retain(volume);
    const found = await leftovers.list("main");
    expect(found.map(({ type }) => type)).toEqual([
      "aws_lb",
      "aws_lb_target_group",
      "aws_network_interface",
      "aws_security_group",
      "aws_ebs_volume",
    ]);
    for (const leftover of found) await leftovers.remove(leftover);
    expect(await leftovers.list("main")).toEqual([]);
    expect((await leftovers.list("other")).map(({ type }) => type)).toEqual(["aws_ebs_volume"]);
    for (const leftover of found) await leftovers.remove(leftover);
    api.close();
    await server.close();
  });
});
