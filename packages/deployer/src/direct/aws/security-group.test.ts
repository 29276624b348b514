import { expect, test } from "vitest";
import type { DeployedAccount, JsonObject } from "../../task.ts";
import { createTestEntity, createTestSurroundings } from "../../testing/test-task.ts";
import { awsSecurityGroupBlueprint as blueprint } from "./security-group.ts";

const account: DeployedAccount = { uid: "a", name: "sim", cloud: "aws", simulated: true, spec: {} };
const aroundOf = (outputs: JsonObject) => ({
  ...createTestSurroundings({
    parents: [{ kind: "Network", uid: "n", name: "lan", spec: { region: "eu-west-1" }, outputs }],
  }),
  // Another group may not have been built yet, so it may have no outputs.
  references: [{ field: "rules.group", kind: "SecurityGroup", uid: "u-web", name: "web", spec: {}, outputs: {} }],
});
const around = aroundOf({ network_id: "vpc-1" });
const entityOf = (...rules: JsonObject[]) =>
  createTestEntity("SecurityGroup", {
    uid: "0199-0000-12345678",
    name: "db",
    labels: { team: "a" },
    spec: { network: "lan", rules },
  });
const render = (...rules: JsonObject[]) => blueprint.resources(entityOf(...rules), account, around)[0]?.attributes ?? {};

const rule = (change: JsonObject): JsonObject => ({
  protocol: "tcp",
  from_port: 0,
  to_port: 65_535,
  cidr_blocks: [],
  ipv6_cidr_blocks: [],
  prefix_list_ids: [],
  security_groups: [],
  self: false,
  ...change,
});

test("M206 a group in AWS is in the network's VPC, accepts nothing and may connect to everything unless it has rules", () => {
  expect(render()).toEqual({
    name: "cloudwright-db-12345678",
    description: "Managed by Cloudwright",
    vpc_id: "vpc-1",
    ingress: [],
    egress: [rule({ protocol: "-1", to_port: 0, cidr_blocks: ["0.0.0.0/0"] })],
    tags: { Name: "db", team: "a" },
  });
});

test("M180 rules name ranges, other groups and the group itself, and rules for ARP are left out", () => {
  const { ingress, egress } = render(
    { protocol: "tcp", group: "web" },
    { direction: "ingress", protocol: "udp", fromPort: 53, group: "self" },
    { protocol: "icmp", cidr: "10.0.0.0/8" },
    { protocol: "arp", group: "web" },
    { direction: "egress", protocol: "tcp", fromPort: 8000, toPort: 8080, cidr: "10.0.0.0/8" },
    { direction: "egress", protocol: "all", group: "web" },
    { direction: "egress", protocol: "all", group: "web" },
  );
  expect(ingress).toEqual(
    expect.arrayContaining([
      rule({ security_groups: ["u-web"] }),
      rule({ protocol: "udp", from_port: 53, to_port: 53, self: true }),
      rule({ protocol: "icmp", from_port: -1, to_port: -1, cidr_blocks: ["10.0.0.0/8"] }),
    ]),
  );
  expect(ingress).toHaveLength(3);
  expect(egress).toEqual(
    expect.arrayContaining([
      rule({ protocol: "-1", to_port: 0, security_groups: ["u-web"] }),
      rule({ from_port: 8000, to_port: 8080, cidr_blocks: ["10.0.0.0/8"] }),
    ]),
  );
  expect(egress).toHaveLength(2);
  // A group whose only egress rule is for ARP sends nothing.
  expect(render({ direction: "egress", protocol: "arp", cidr: "0.0.0.0/0" })["egress"]).toEqual([]);
});

test("M206 groups that do not exist and networks that were not built are rejected by name", () => {
  const refuse = (attempt: () => unknown, word: string) =>
    expect(attempt).toThrow(
      expect.objectContaining({ code: "deployer.bad_spec", message: expect.stringContaining(word) as string }),
    );
  refuse(() => render({ protocol: "all", group: "nobody" }), '"nobody"');
  refuse(() => blueprint.resources(entityOf(), account, aroundOf({})), '"lan"');
});

test("M206 the status has the id of the group", () => {
  expect(blueprint.outputs(() => ({ id: "sg-1" }), entityOf(), around)).toEqual({ group_id: "sg-1" });
});
