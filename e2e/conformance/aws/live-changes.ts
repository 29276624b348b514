import { expect, onTestFinished } from "vitest";
import type { RealProvider } from "../find-provider.ts";
import { openConfiguration, type RealConfiguration } from "../open-configuration.ts";
import type { AwsCloud } from "./aws-cloud.ts";

type Provider = RealProvider & { readonly found: true };

const region = "eu-west-1";
const owner = { project: "default", entity: "0199aaaa-0000-7000-8000-0123456789ab" };
const apply = ["apply", "-auto-approve", "-input=false", "-json"] as const;
const destroy = ["destroy", "-auto-approve", "-input=false", "-json"] as const;

async function open(provider: Provider, cloud: AwsCloud, place: string): Promise<RealConfiguration> {
  const configuration = await openConfiguration(provider, cloud, place);
  onTestFinished(() => configuration.close());
  return configuration;
}

/** Checks that changes to NAT gateways keep addresses, leave no route without a gateway, and keep routes that others added. */
export async function checkNat(provider: Provider, cloud: AwsCloud): Promise<void> {
  const network = await open(provider, cloud, "network/aws/v1.2.0");
  const give = (letters: readonly string[], nat: string, natZone?: string, former: readonly string[] = []): Promise<void> =>
    network.setVariables({
      vpc_name: "nat",
      region,
      aws_azs: letters.map((letter) => region + letter),
      nat,
      owner,
      former_nat_zones: former.map((letter) => region + letter),
      ...(natZone === undefined ? {} : { nat_zone: region + natZone }),
    });
  const listDefaultRoutes = async (): Promise<string[]> => {
    const { network_id: vpc } = await network.outputs();
    const tables = await cloud.callEc2("DescribeRouteTables", { "Filter.1.Name": "vpc-id", "Filter.1.Value.1": String(vpc) });
    return [...tables.matchAll(/<destinationCidrBlock>0\.0\.0\.0\/0<\/destinationCidrBlock>\s*<(\w+)>([^<]+)</g)]
      .map(([, kind = ""]) => kind)
      .toSorted();
  };

  await give(["b", "c"], "single");
  await network.run(...apply);
  const before = await network.outputs();
  expect(before["nat_zones"]).toEqual([`${region}b`]);

  // Passes the zone of the existing gateway, as the platform does.
  await give(["a", "b", "c"], "single", "b");
  const added = await network.plan();
  expect(Object.keys(added).filter((address) => /nat_gateway|aws_eip|private\["eu-west-1[bc]"\]/.test(address))).toEqual([]);
  await network.run(...apply);
  expect(await network.outputs()).toMatchObject({ nat_public_ips: before["nat_public_ips"], nat_zones: before["nat_zones"] });

  await give(["a", "b", "c"], "per-zone", "b");
  await network.run(...apply);
  expect(await network.plan()).toEqual({});

  // Someone else adds a route, for example for a VPN.
  const state = (await network.run("show", "-json")).output;
  const [, table = ""] = /"address":"aws_route_table\.private\[\\"eu-west-1c\\"\]".*?"id":"(rtb-[^"]+)"/s.exec(state) ?? [];
  const [, gateway = ""] = /"id":"(igw-[^"]+)"/.exec(state) ?? [];
  await cloud.callEc2("CreateRoute", { RouteTableId: table, DestinationCidrBlock: "192.168.0.0/16", GatewayId: gateway });
  expect(await network.plan()).toEqual({});

  // The first apply moves the routes, and the second one deletes the gateways that no route uses.
  await give(["a", "b", "c"], "single", "b", ["a", "b", "c"]);
  expect(Object.values(await network.plan()).filter((action) => action !== "update")).toEqual([]);
  await network.run(...apply);
  expect(await network.plan()).toEqual({});
  expect(await network.outputs()).toMatchObject({ nat_retiring: [`${region}a`, `${region}c`] });
  expect(await listDefaultRoutes()).toEqual(["gatewayId", "natGatewayId", "natGatewayId", "natGatewayId"]);
  await give(["a", "b", "c"], "single", "b", ["b"]);
  expect(Object.keys(await network.plan()).toSorted()).toEqual(
    ["a", "c"]
      .flatMap((letter) => [`aws_eip.nat["${region}${letter}"]`, `aws_nat_gateway.this["${region}${letter}"]`])
      .toSorted(),
  );
  await network.run(...apply);
  expect(await network.plan()).toEqual({});
  expect(await network.outputs()).toMatchObject({ nat_public_ips: before["nat_public_ips"], nat_retiring: [] });
  expect(await listDefaultRoutes()).toEqual(["gatewayId", "natGatewayId", "natGatewayId", "natGatewayId"]);

  await give(["a", "b", "c"], "none");
  await network.run(...apply);
  expect(await network.plan()).toEqual({});
  expect(await listDefaultRoutes()).toEqual(["gatewayId"]);
  expect(await cloud.callEc2("DescribeRouteTables", { "RouteTableId.1": table })).toContain("192.168.0.0/16");
  await network.run(...destroy);
  expect(await cloud.listResources()).toEqual([]);
}

/** Checks that planning a network fails if it refers to existing subnets that cannot be found. */
export async function checkMissingSubnets(provider: Provider, cloud: AwsCloud): Promise<void> {
  const network = await open(provider, cloud, "network/aws/v1.2.0");
  const variables = { vpc_name: "found", region, vpc_id: "{vpc}", private_subnet_ids: ["{subnet a}", "subnet-0"], owner };
  await network.setVariables(cloud.resolve?.(variables) ?? {});
  const { output } = await network.attempt("plan", "-input=false", "-json");
  expect(output).toMatch(/Subnets not found in vpc-\w+: subnet-0\./);
}

/** Checks that a bucket that contains objects is deleted only if `force_destroy` is set. */
export async function checkFullBucket(provider: Provider, cloud: AwsCloud): Promise<void> {
  // Starts with v0.1.0, because the bucket policy of later versions requires TLS for uploads and moto does not support TLS.
  const storage = await open(provider, cloud, "storage/aws/v0.1.0");
  await storage.setVariables({ name: "full", region, bucket: { versioning: true }, owner });
  await storage.run(...apply);
  const { resource_id: name } = await storage.outputs();
  await cloud.putObject(`${String(name)}/a`);
  await storage.use("storage/aws/v1.2.0");
  await storage.run(...apply);
  const refused = await storage.attempt(...destroy);
  expect(refused.code).toBe(1);
  expect(refused.output).toContain(`deleting S3 Bucket (${String(name)})`);
  expect(refused.output).toContain("api error BucketNotEmpty: The bucket you tried to delete is not empty");
  await storage.setVariables({ name: "full", region, bucket: { versioning: true, force_destroy: true }, owner });
  await storage.run(...apply);
  await storage.run(...destroy);
  expect(await cloud.listResources()).toEqual([]);
}

/** Checks that a user's tag does not change launch templates or replace nodes, and that a log group created by EKS must be adopted. */
export async function checkCluster(provider: Provider, cloud: AwsCloud): Promise<void> {
  const cluster = await open(provider, cloud, "kubernetes/aws/v0.1.0");
  const subnets = ["{subnet a}", "{subnet b}"];
  const pool = { instance_type: "m6i.large", min: 1, desired: 1, max: 2 };
  const set = (variables: object): Promise<void> => cluster.setVariables(cloud.resolve?.({ ...variables }) ?? {});
  const network = { control_plane: subnets, workers: subnets };
  await set({ name: "logs", region, kubernetes_version: "1.34", subnets: network, log_types: ["api"], owner });
  await cluster.run(...apply);

  await cluster.use("kubernetes/aws/v1.1.0");
  const base = { cluster_name: "logs", region, cluster_version: "1.34", log_types: ["api"], addons: {}, owner };
  const later = { ...base, controlplane_subnet_ids: subnets, private_subnet_ids: subnets, node_pools: { pool } };
  await set(later);
  const refused = await cluster.attempt(...apply);
  expect(refused.output).toContain("The specified log group already exists");
  await cluster.adopt({ 'aws_cloudwatch_log_group.cluster["made"]': { id: "/aws/eks/logs-456789ab/cluster" } });
  await cluster.run(...apply);
  expect(await cluster.plan()).toEqual({});

  const start = cloud.ec2Calls.length;
  await set({ ...later, tags: { team: "a" } });
  const plan = await cluster.plan();
  expect(plan['aws_eks_node_group.pool["pool"]']).toBe("update");
  expect(Object.keys(plan).filter((address) => address.startsWith("aws_launch_template."))).toEqual([]);
  const versions = cloud.eks.calls.filter(({ operation }) => operation === "UpdateNodegroupVersion").length;
  await cluster.run(...apply);
  expect(await cluster.plan()).toEqual({});
  expect(cloud.eks.calls.filter(({ operation }) => operation === "UpdateNodegroupVersion")).toHaveLength(versions);
  expect(cloud.ec2Calls.slice(start).map((call) => call.get("Action"))).not.toContain("CreateLaunchTemplateVersion");
  await cluster.run(...destroy);
  expect(await cloud.listResources()).toEqual([]);
}
