import { expect, test } from "vitest";
import type { DeployedAccount, JsonObject } from "../../task.ts";
import { createTestEntity, createTestSurroundings } from "../../testing/test-task.ts";
import { localSecurityGroupBlueprint as blueprint } from "./security-group.ts";

const account: DeployedAccount = { uid: "a", name: "rack", cloud: "local", simulated: false, spec: {} };
const around = {
  ...createTestSurroundings(),
  // Another group may not have been built yet, so it may have no outputs.
  references: [{ field: "rules.group", kind: "SecurityGroup", uid: "u-web", name: "web", spec: {}, outputs: {} }],
};
const render = (...rules: JsonObject[]) => {
  const entity = createTestEntity("SecurityGroup", { uid: "u-db", name: "db", spec: { network: "lan", rules } });
  return blueprint.resources(entity, account, around)[0]?.attributes;
};

test("M206 the rules of a local security group name ranges, other groups and the group itself", () => {
  expect(
    render(
      { protocol: "tcp", fromPort: 22, cidr: "10.0.0.0/8" },
      { direction: "egress", protocol: "udp", fromPort: 1000, toPort: 2000, group: "web" },
      { protocol: "arp", group: "self" },
    ),
  ).toEqual({
    rules: [
      { direction: "ingress", protocol: "tcp", from_port: 22, to_port: 22, cidr: "10.0.0.0/8", group: "" },
      { direction: "egress", protocol: "udp", from_port: 1000, to_port: 2000, cidr: "", group: "u-web-this" },
      { direction: "ingress", protocol: "arp", from_port: 0, to_port: 0, cidr: "", group: "u-db-this" },
    ],
    ready: true,
  });
  expect(render()).toEqual({ rules: [], ready: true });
});

test("M206 a rule for a group that does not exist is rejected by name", () => {
  expect(() => render({ protocol: "all", group: "nobody" })).toThrow(
    expect.objectContaining({ code: "deployer.bad_spec", message: expect.stringContaining('"nobody"') as string }),
  );
});

test("M206 the status has the id of the group", () => {
  const entity = createTestEntity("SecurityGroup", { spec: { network: "lan" } });
  expect(blueprint.outputs(() => ({ id: "u-db-this" }), entity, around)).toEqual({ group_id: "u-db-this" });
});
