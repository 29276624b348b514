import { Secret } from "@cloudwright/platform";
import type { JsonObject } from "@cloudwright/platform/json";
import { changeConditions, createMemoryInventory } from "@cloudwright/simulator";
import { startApiHost } from "@cloudwright/simulator/testing";
import { describe, expect, test } from "vitest";
import type { CloudPart } from "../../library/parts.ts";
import { shortWaits } from "../../testing/library-contract.ts";
import { describeCloudPart, type PartFixture } from "../../testing/part-contract.ts";
import { startFakeEks } from "../testing/fake-eks.ts";
import { createAwsParts, type AwsParts } from "./parts.ts";
import { orderGroupRules } from "./security-group-rules.ts";

const region = "us-east-1";
const otherAccount = "arn:aws:iam::123456789012:role";
const keys = { accessKeyId: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: "canary" };
const suffix = (uid: string): string => uid.slice(-8);

const vpc = (change: JsonObject = {}): JsonObject => ({
  subnet_ids: ["subnet-a", "subnet-b"],
  security_group_ids: [],
  endpoint_public_access: true,
  endpoint_private_access: true,
  public_access_cidrs: ["203.0.113.0/24"],
  ...change,
});

const cluster = (uid: string): JsonObject => ({
  name: `c-${suffix(uid)}`,
  role_arn: `${otherAccount}/EksClusterRole`,
  version: "1.33",
  vpc_config: [vpc()],
  tags: { team: "a" },
  ready: true,
  failed: false,
});

const group = (uid: string): JsonObject => ({
  cluster_name: "host",
  node_group_name: `p-${suffix(uid)}`,
  node_role_arn: `${otherAccount}/EksNodeRole`,
  subnet_ids: ["subnet-a", "subnet-b"],
  instance_types: ["m6i.large"],
  capacity_type: "ON_DEMAND",
  scaling_config: [{ desired_size: 2, min_size: 1, max_size: 3 }],
  labels: { tier: "a" },
  taint: [{ key: "dedicated", value: "db", effect: "NO_SCHEDULE" }],
  tags: { team: "a" },
  ready: true,
  failed: false,
});

const instance = (): JsonObject => ({
  ami: "ubuntu-24.04",
  instance_type: "t3.micro",
  subnet_id: "subnet-a",
  associate_public_ip_address: false,
  user_data_base64: Buffer.from("#!/bin/sh\necho hello\n").toString("base64"),
  root_block_device: [{ volume_size: 20, encrypted: true }],
  metadata_options: [{ http_tokens: "required" }],
  instance_state: "running",
  tags: { Name: "vm", team: "a" },
  ready: true,
  failed: false,
});

const trust = JSON.stringify({
  Version: "2012-10-17",
  Statement: [{ Effect: "Allow", Principal: { Service: "eks.amazonaws.com" }, Action: "sts:AssumeRole" }],
});
const policy = (name: string): string => `arn:aws:iam::aws:policy/${name}`;

describeCloudPart("aws_eks_cluster", () =>
  openSimulated("aws_eks_cluster", cluster, {
    vpc_config: [vpc({ endpoint_private_access: false, public_access_cidrs: ["198.51.100.0/24", "203.0.113.0/24"] })],
    enabled_cluster_log_types: ["api", "audit"],
    version: "1.34",
    tags: { owner: "b" },
  }),
);

describeCloudPart("aws_eks_node_group", () =>
  openSimulated("aws_eks_node_group", group, {
    scaling_config: [{ desired_size: 4, min_size: 1, max_size: 5 }],
    labels: { zone: "b" },
    taint: [],
    tags: { owner: "b" },
  }),
);

describeCloudPart("aws_eks_access_entry", () =>
  openSimulated(
    "aws_eks_access_entry",
    (uid) => ({
      cluster_name: "host",
      principal_arn: `${otherAccount}/ops-${suffix(uid)}`,
      kubernetes_groups: ["viewers"],
      type: "STANDARD",
      access_policy_arns: ["arn:aws:eks::aws:cluster-access-policy/AmazonEKSViewPolicy"],
      tags: {},
    }),
    {
      access_policy_arns: ["arn:aws:eks::aws:cluster-access-policy/AmazonEKSEditPolicy"],
      tags: { a: "b" },
    },
  ),
);

describeCloudPart("aws_instance", () =>
  openSimulated("aws_instance", instance, { instance_type: "t3.small", instance_state: "stopped", tags: { Name: "vm" } }),
);

const rule = (change: JsonObject): JsonObject => ({
  protocol: "tcp",
  from_port: 22,
  to_port: 22,
  cidr_blocks: [],
  ipv6_cidr_blocks: [],
  prefix_list_ids: [],
  security_groups: [],
  self: false,
  ...change,
});
const openEgress = rule({ protocol: "-1", from_port: 0, to_port: 0, cidr_blocks: ["0.0.0.0/0"] });

describeCloudPart("aws_security_group", () =>
  openSimulated(
    "aws_security_group",
    (uid) => ({
      name: `g-${suffix(uid)}`,
      description: "Managed by Cloudwright",
      vpc_id: "vpc-1",
      ingress: orderGroupRules([rule({ cidr_blocks: ["10.0.0.0/8"] }), rule({ self: true, protocol: "udp" })]),
      egress: [openEgress],
      tags: { team: "a" },
    }),
    {
      ingress: orderGroupRules([
        rule({ cidr_blocks: ["10.0.0.0/8"] }),
        rule({ protocol: "icmp", from_port: -1, to_port: -1, cidr_blocks: ["0.0.0.0/0"] }),
        rule({ self: true }),
      ]),
      egress: [rule({ cidr_blocks: ["192.0.2.0/24"], from_port: 0, to_port: 65_535 })],
      tags: { owner: "b" },
    },
  ),
);

describeCloudPart("aws_ebs_volume", () =>
  openSimulated(
    "aws_ebs_volume",
    () => ({
      availability_zone: "us-east-1a",
      size: 10,
      type: "gp3",
      encrypted: true,
      instance_id: "",
      tags: { team: "a" },
    }),
    { size: 20, tags: { owner: "b" } },
  ),
);

describe("M206 parts of several entities", () => {
  const { signal } = new AbortController();
  const ownerOf = (entityUid: string) => ({ entityUid, name: "this", token: `t-${entityUid}` });
  const uids = ["0199aaaa-0000-7000-8000-0000000000a1", "0199aaaa-0000-7000-8000-0000000000b2"] as const;

  test("groups that name each other are created at the same time, and deleted in any order", async () => {
    const { open: openGroup, close } = await openSimulated("aws_security_group", () => ({}), {});
    const [one, two] = uids;
    const create = (uid: string, peer: string) =>
      openGroup(uid).create(
        { name: suffix(uid), description: "d", vpc_id: "vpc-1", ingress: [rule({ security_groups: [peer] })], egress: [] },
        ownerOf(uid),
        signal,
      );
    const [a, b] = await Promise.all([create(one, two), create(two, one)]);
    expect([a.attributes["ingress"], b.attributes["ingress"]]).toEqual([
      [rule({ security_groups: [two] })],
      [rule({ security_groups: [one] })],
    ]);
    await openGroup(one).delete(a.id, signal);
    expect(await openGroup(two).read(b.id, signal)).toMatchObject({ ingress: [], egress: [] });
    await openGroup(two).delete(b.id, signal);
    await close();
  });

  test("volumes that are attached at the same time get different device names, and a second change is refused for six hours", async () => {
    const { open: openVolume, host, close } = await openSimulated("aws_ebs_volume", () => ({}), {}, 0.002);
    const machines = host("aws_instance");
    const instances = await Promise.all(
      ["i1", "i2"].map((uid) =>
        machines(uid)
          .create(instance(), ownerOf(uid), signal)
          .then(({ id }) => id),
      ),
    );
    const [first = "", second = ""] = instances;
    const volume = { availability_zone: "us-east-1a", size: 10, type: "gp3", encrypted: true };
    const made = await Promise.all(
      uids.map((uid) => openVolume(uid).create({ ...volume, instance_id: first }, ownerOf(uid), signal)),
    );
    expect(made.map(({ attributes }) => attributes["instance_id"])).toEqual([first, first]);
    expect(new Set(made.map(({ attributes }) => attributes["device_name"]))).toEqual(new Set(["/dev/sdf", "/dev/sdg"]));
    const [part, id] = [openVolume(uids[0]), made[0]?.id ?? ""];
    expect(made[0]?.attributes["device"]).toBe(`/dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_${id.replace("-", "")}`);
    expect(await part.update(id, { size: 20, instance_id: second }, signal)).toMatchObject({ size: 20, instance_id: second });
    await expect(part.update(id, { size: 30 }, signal)).rejects.toMatchObject({ code: "clouds.quota" });
    await expect(part.update(id, { size: 5 }, signal)).rejects.toMatchObject({ code: "clouds.invalid" });
    await expect(
      openVolume(uids[1]).update(made[1]?.id ?? "", { instance_id: "i-0123456789abcdef0" }, signal),
    ).rejects.toMatchObject({
      code: expect.stringMatching(/^clouds\.(not_found|conflict)$/) as string,
    });
    for (const [index, uid] of uids.entries()) await openVolume(uid).delete(made[index]?.id ?? "", signal);
    await close();
  });

  test("an instance whose last group is removed has the VPC's default group again", async () => {
    const { open: openMachine, host, close } = await openSimulated("aws_instance", instance, {});
    const [uid] = uids;
    const firewall = await host("aws_security_group")(uids[1]).create(
      { name: "g", description: "d", vpc_id: "vpc-1", ingress: [], egress: [] },
      ownerOf(uids[1]),
      signal,
    );
    const machine = openMachine(uid);
    const made = await machine.create({ ...instance(), vpc_security_group_ids: [firewall.id] }, ownerOf(uid), signal);
    expect(made.attributes["vpc_security_group_ids"]).toEqual([firewall.id]);
    const update = async (vpc_security_group_ids: string[]) =>
      (await machine.update(made.id, { vpc_security_group_ids }, signal))["vpc_security_group_ids"];
    expect(await update([])).toEqual([]);
    await host("aws_security_group")(uids[1]).delete(firewall.id, signal);
    const other = await openMachine(uids[1]).create(instance(), ownerOf(uids[1]), signal);
    const [standard = ""] = other.attributes["vpc_security_group_ids"] as string[];
    expect(await update([standard])).toEqual([standard]);
    await close();
  });
});

describeCloudPart("aws_iam_role", async (): Promise<PartFixture> => {
  const server = await startFakeEks();
  const opened: AwsParts[] = [];
  return {
    open: (entityUid) => openPart(opened, { ...keys, address: server.address }, entityUid, "aws_iam_role"),
    attributes: (uid) => ({
      name: `r-${suffix(uid)}`,
      assume_role_policy: trust,
      managed_policy_arns: [policy("AmazonEKSClusterPolicy")],
    }),
    change: { managed_policy_arns: [policy("A"), policy("B")] },
    async close() {
      for (const each of opened) each.close();
      await server.close();
    },
  };
});

test("X031 a role whose name cannot be found again is refused", async () => {
  const { parts } = createAwsParts({ ...keys, region, entityUid: "0199aaaa-0000-7000-8000-00000000c0de" });
  const owner = { entityUid: "0199aaaa-0000-7000-8000-00000000c0de", name: "main", token: "t" };
  const role = parts.get("aws_iam_role") as CloudPart;
  await expect(
    role.create({ name: "any", assume_role_policy: trust }, owner, new AbortController().signal),
  ).rejects.toMatchObject({
    code: "clouds.invalid",
  });
});

test("M159 a failed creation of an instance shows the instance's own name, not the resource's", async () => {
  const { open, attributes, close } = await openSimulated("aws_instance", instance, {});
  const uid = "0199aaaa-0000-7000-8000-00000000c0de";
  const machine = { ...attributes(uid), instance_type: "t99.huge" };
  const failed = open(uid).create(machine, { entityUid: uid, name: "this", token: "t-1" }, new AbortController().signal);
  const message = await failed.then(
    () => "",
    ({ message: text }: Error) => text,
  );
  expect(message).toContain("create the instance vm in us-east-1");
  expect(message).not.toMatch(/\bthis\b/);
  await close();
});

interface SimulatedFixture extends PartFixture {
  /** Opens parts of another type in the same account. */
  host(other: string): (entityUid: string) => CloudPart;
}

async function openSimulated(
  type: string,
  attributes: PartFixture["attributes"],
  change: JsonObject,
  timeScale?: number,
): Promise<SimulatedFixture> {
  const inventory = createMemoryInventory();
  if (timeScale !== undefined) await changeConditions(inventory, "tenant", { timeScale });
  const host = await startApiHost({ inventory, secret: new Secret("test"), listen: { port: 0 } });
  await inventory.put("tenant", { type: "aws_vpc", id: "vpc-1", attributes: { id: "vpc-1", region, cidr_block: "10.0.0.0/16" } });
  for (const letter of ["a", "b"]) {
    const subnet = {
      id: `subnet-${letter}`,
      region,
      vpc_id: "vpc-1",
      availability_zone: region + letter,
      cidr_block: "10.0.0.0/24",
    };
    await inventory.put("tenant", { type: "aws_subnet", id: subnet.id, attributes: subnet });
  }
  const { environment } = await host.issue("tenant", "aws", { region });
  const access = {
    accessKeyId: environment["AWS_ACCESS_KEY_ID"] ?? "",
    secretAccessKey: environment["AWS_SECRET_ACCESS_KEY"] ?? "",
    address: host.address,
  };
  const opened: AwsParts[] = [];
  if (type !== "aws_eks_cluster") {
    const hostOwner = { entityUid: "host", name: "main", token: "host" };
    const part = openPart(opened, access, "host", "aws_eks_cluster");
    const accessConfig = { access_config: [{ authentication_mode: "API" }] };
    await part.create({ ...cluster("host"), name: "host", ...accessConfig }, hostOwner, new AbortController().signal);
  }
  return {
    open: (entityUid) => openPart(opened, access, entityUid, type),
    host: (other) => (entityUid) => openPart(opened, access, entityUid, other),
    attributes,
    change,
    async close() {
      for (const each of opened) each.close();
      await host.close();
    },
  };
}

function openPart(
  opened: AwsParts[],
  { address, ...credentials }: { accessKeyId: string; secretAccessKey: string; address: string },
  entityUid: string,
  type: string,
): CloudPart {
  const made = createAwsParts({ ...credentials, region, entityUid, endpoints: { all: address }, clock: shortWaits });
  opened.push(made);
  return made.parts.get(type) as CloudPart;
}
