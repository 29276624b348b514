import { expect, test } from "vitest";
import type { DeployedAccount, JsonObject } from "../../task.ts";
import { createTestEntity, createTestSurroundings } from "../../testing/test-task.ts";
import { localNetworkBlueprint as blueprint } from "./network.ts";

const account: DeployedAccount = { uid: "a", name: "rack", cloud: "local", simulated: false, spec: {} };
const around = createTestSurroundings();
const render = (spec: JsonObject) =>
  blueprint.resources(createTestEntity("Network", { name: "shop", spec }), account, around)[0]?.attributes;

test("M206 a network is a range with a domain, and its instances reach the outside unless the spec says otherwise", () => {
  const usual = { cidr: "10.0.0.0/16", domain: "shop.internal", nat: true, ready: true };
  expect(render({})).toEqual(usual);
  expect(render({ local: { switch: "bridge" } })).toEqual(usual);
  expect(render({ local: { switch: "ovs" } })).toEqual({ ...usual, switch: "ovs" });
  expect(render({ cidr: "10.7.0.0/24", nat: "none" })).toEqual({ ...usual, cidr: "10.7.0.0/24", nat: false });
});

test("M206 the status has the id and the range", () => {
  const read = blueprint.outputs(
    () => ({ id: "n-1", cidr: "10.7.0.0/24", domain: "shop.internal" }),
    createTestEntity("Network", {}),
    around,
  );
  expect(read).toEqual({ network_id: "n-1", cidr: "10.7.0.0/24", domain: "shop.internal" });
});
