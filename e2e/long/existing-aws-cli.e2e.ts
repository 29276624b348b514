import { processEnvironment, requireTool } from "@cloudwright/platform";
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listDifferences } from "../existing/list-differences.ts";
import { runOk } from "../existing/sample-cluster.ts";
import { startServer, type RunningServer } from "../server.ts";

const run = promisify(execFile);
const tool = requireTool("aws");
if (!tool.found) console.log(`skipped the aws CLI: ${tool.reason}`);
const region = "eu-west-1";

let server: RunningServer;
let folder: string;
let environment: Readonly<Record<string, string>>;
const cloud = (...args: string[]): Promise<string> => runOk(server, ...args);

/** Runs the aws CLI, which does not know about the platform. Returns the parsed output. */
async function aws<Answer = unknown>(...args: string[]): Promise<Answer> {
  const env = {
    PATH: processEnvironment["PATH"],
    HOME: folder,
    AWS_EC2_METADATA_DISABLED: "true",
    AWS_PAGER: "",
    ...environment,
  };
  const { stdout } = await run(tool.found ? tool.path : "aws", [...args, "--output", "json"], { cwd: folder, env });
  return (stdout.trim() === "" ? {} : JSON.parse(stdout)) as Answer;
}

/** Creates a role that an AWS service can assume. Returns the role's ARN. */
async function createRole(name: string, service: string): Promise<string> {
  const Statement = [{ Effect: "Allow", Principal: { Service: service }, Action: "sts:AssumeRole" }];
  const document = JSON.stringify({ Version: "2012-10-17", Statement });
  const created = ["iam", "create-role", "--role-name", name, "--assume-role-policy-document", document];
  return (await aws<{ Role: { Arn: string } }>(...created)).Role.Arn;
}

/** Creates a cluster with a node group. Sets as many settings as possible. */
async function createCluster(): Promise<void> {
  const { Vpc } = await aws<{ Vpc: { VpcId: string } }>("ec2", "create-vpc", "--cidr-block", "10.0.0.0/16");
  const subnets: string[] = [];
  for (const [index, letter] of ["a", "b"].entries()) {
    const place = ["--cidr-block", `10.0.${index}.0/24`, "--availability-zone", `${region}${letter}`];
    const created = await aws<{ Subnet: { SubnetId: string } }>("ec2", "create-subnet", "--vpc-id", Vpc.VpcId, ...place);
    subnets.push(created.Subnet.SubnetId);
  }
  const roles = [await createRole("shop-cluster", "eks.amazonaws.com"), await createRole("shop-nodes", "ec2.amazonaws.com")];
  const [clusterRole = "", nodeRole = ""] = roles;
  const settings = [
    ["--kubernetes-version", "1.33"],
    ["--role-arn", clusterRole],
    ["--resources-vpc-config", `subnetIds=${subnets.join(",")},endpointPrivateAccess=true`],
    ["--tags", "owner=shop,stage=live"],
  ];
  await aws("eks", "create-cluster", "--name", "shop", ...settings.flat());
  await aws("eks", "wait", "cluster-active", "--name", "shop");
  const pool = [
    ["--node-role", nodeRole],
    ["--subnets", ...subnets],
    ["--scaling-config", "minSize=1,maxSize=4,desiredSize=2"],
    ["--instance-types", "m6i.large"],
    ["--labels", "team=shop"],
    ["--taints", "key=dedicated,value=shop,effect=PREFER_NO_SCHEDULE"],
    ["--tags", "owner=shop"],
  ];
  await aws("eks", "create-nodegroup", "--cluster-name", "shop", "--nodegroup-name", "workers", ...pool.flat());
  await aws("eks", "wait", "nodegroup-active", "--cluster-name", "shop", "--nodegroup-name", "workers");
}

interface Described {
  readonly cluster: { readonly cluster: { readonly arn: string } };
  readonly nodegroup: { readonly nodegroup: { readonly nodegroupArn: string } };
}

/** Returns everything that the aws CLI shows about the cluster, its node group and related resources. */
async function describeAll(): Promise<Described> {
  const of = ["--cluster-name", "shop"];
  const cluster = await aws<Described["cluster"]>("eks", "describe-cluster", "--name", "shop");
  const nodegroup = await aws<Described["nodegroup"]>("eks", "describe-nodegroup", ...of, "--nodegroup-name", "workers");
  const more = {
    clusterTags: await aws("eks", "list-tags-for-resource", "--resource-arn", cluster.cluster.arn),
    nodegroupTags: await aws("eks", "list-tags-for-resource", "--resource-arn", nodegroup.nodegroup.nodegroupArn),
    nodegroups: await aws("eks", "list-nodegroups", ...of),
    entries: await aws("eks", "list-access-entries", ...of),
    addons: await aws("eks", "list-addons", ...of),
    roles: await aws("iam", "list-roles"),
    subnets: await aws("ec2", "describe-subnets"),
  };
  return { cluster, nodegroup, ...more };
}

beforeAll(async () => {
  if (!tool.found) return;
  folder = await mkdtemp(join(tmpdir(), "cw-e2e-existing-"));
  server = await startServer();
  await cloud("account", "create", "prod", "--cloud", "aws", "--simulated", "--wait");
  await cloud("sim", "slow", "--off", "--account", "prod");
  const issued = await cloud("sim", "credentials", "--account", "prod", "--region", region, "-o", "json");
  ({ environment } = JSON.parse(issued) as { environment: Record<string, string> });
  await createCluster();
}, 1_200_000);
afterAll(async () => {
  await server?.stop();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

// Each call to the aws CLI starts a Python interpreter, which takes seconds on a busy machine.
describe.skipIf(!tool.found)("a cluster that the aws CLI created", { timeout: 1_200_000 }, () => {
  interface Previewed {
    readonly status: {
      readonly preview?: readonly { readonly name: string; readonly action: string; readonly message: string }[];
    };
  }
  const preview = async (...args: string[]) => {
    const { status } = JSON.parse(await cloud(...args, "--preview", "-o", "json")) as Previewed;
    return (status.preview ?? []).map(({ name, action, message }) => [name, action, message]);
  };
  let before: Described;

  test("M028 X016 import, drift check, kubeconfig and release leave every field as it was", async () => {
    before = await describeAll();
    expect(JSON.stringify(before)).toContain('"stage":"live"');
    await cloud("k8s", "import", "shop", "--account", "prod", "--region", region, "--wait");
    expect(await cloud("drift", "check", "cluster/shop", "--wait")).toContain("in sync");
    await cloud("k8s", "kubeconfig", "shop");
    expect(listDifferences(before, await describeAll())).toEqual([]);
    await cloud("k8s", "release", "shop", "--yes", "--wait");
    expect(await cloud("k8s", "discover", "--account", "prod")).toMatch(/shop .* none/);
    expect(listDifferences(before, await describeAll())).toEqual([]);
  });

  test("X016 manage changes nothing, as its preview says", async () => {
    await cloud("k8s", "import", "shop", "--account", "prod", "--region", region, "--wait");
    const previewed = await preview("k8s", "manage", "shop");
    expect(previewed).toEqual([["workers", "keep", expect.stringContaining("nothing about it changes")]]);
    await cloud("k8s", "manage", "shop", "--yes", "--wait");
    expect(listDifferences(before, await describeAll())).toEqual([]);
  });

  test("X016 an upgrade changes exactly the fields in its preview", async () => {
    expect(await preview("k8s", "upgrade", "shop", "--version", "1.34")).toEqual([
      ["aws_eks_cluster.this", "update", "version 1.33 -> 1.34"],
      ["workers", "update", "version 1.33 -> 1.34"],
    ]);
    await cloud("k8s", "upgrade", "shop", "--version", "1.34", "--wait");
    const after = await describeAll();
    expect(listDifferences(before, after)).toEqual([
      'cluster.cluster.version: "1.33" -> "1.34"',
      'nodegroup.nodegroup.version: "1.33" -> "1.34"',
    ]);
    before = after;
  });

  test("X016 scaling a pool changes exactly what its plan said, and release keeps the change", async () => {
    await cloud("nodepool", "update", "shop/workers", "--desired", "3", "--wait");
    const { changes } = JSON.parse(await cloud("run", "plan", "cluster/shop", "-o", "json")) as {
      changes: readonly { address: string; action: string; attributes: readonly object[] }[];
    };
    expect(changes).toMatchObject([
      {
        address: "aws_eks_node_group.workers",
        action: "update",
        attributes: [{ path: "desired_size", before: 2, after: 3 }],
      },
    ]);
    const after = await describeAll();
    expect(listDifferences(before, after)).toEqual(["nodegroup.nodegroup.scalingConfig.desiredSize: 2 -> 3"]);
    await cloud("k8s", "release", "shop", "--yes", "--wait");
    expect(listDifferences(after, await describeAll())).toEqual([]);
  });
});
