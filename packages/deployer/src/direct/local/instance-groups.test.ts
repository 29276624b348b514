import { expect, test } from "vitest";
import type { DeployedAccount, JsonObject } from "../../task.ts";
import { createTestEntity, createTestSurroundings } from "../../testing/test-task.ts";
import { localInstanceBlueprint as blueprint } from "./instance.ts";

const account: DeployedAccount = { uid: "a", name: "rack", cloud: "local", simulated: false, spec: {} };
const network = { kind: "Network", uid: "n", name: "lan", spec: {}, outputs: { network_id: "n-this" } };
const groupOf = (name: string, outputs: JsonObject) => ({
  field: "securityGroups",
  kind: "SecurityGroup",
  uid: `u-${name}`,
  name,
  spec: {},
  outputs,
});
const render = (...references: ReturnType<typeof groupOf>[]) => {
  const entity = createTestEntity("Instance", { name: "vm", spec: { network: "lan", image: "debian-12" } });
  const around = { ...createTestSurroundings({ parents: [network] }), references };
  return blueprint.resources(entity, account, around)[0]?.attributes["groups"];
};

test("M206 an instance has the security groups of its spec, whose order does not matter", () => {
  expect(render()).toEqual([]);
  expect(render(groupOf("web", { group_id: "g-web" }), groupOf("db", { group_id: "g-db" }))).toEqual(["g-db", "g-web"]);
});

test("M206 an instance waits for a security group that has not been built yet", () => {
  expect(() => render(groupOf("web", {}))).toThrow(
    expect.objectContaining({ code: "deployer.bad_spec", message: expect.stringContaining('"web"') as string }),
  );
});
