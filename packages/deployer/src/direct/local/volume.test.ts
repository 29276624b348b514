import { expect, test } from "vitest";
import type { DeployedAccount, JsonObject } from "../../task.ts";
import { createTestEntity, createTestSurroundings } from "../../testing/test-task.ts";
import { localVolumeBlueprint as blueprint } from "./volume.ts";

const account: DeployedAccount = { uid: "a", name: "rack", cloud: "local", simulated: false, spec: {} };
const entityOf = (instance: string) =>
  createTestEntity("Volume", { name: "data", spec: { account: "rack", sizeGib: 10, instance } });
const aroundOf = (outputs: JsonObject) => ({
  ...createTestSurroundings(),
  references: [{ field: "instance", kind: "Instance", uid: "u-web", name: "web", spec: {}, outputs }],
});

test("M206 attaching and growing are updates of the same disk", () => {
  const [detached] = blueprint.resources(entityOf(""), account, createTestSurroundings());
  const [attached] = blueprint.resources(entityOf("web"), account, aroundOf({ instance_id: "u-web-this" }));
  expect(detached).toMatchObject({ type: "local_volume", name: "this", attributes: { size_gib: 10, instance_id: "" } });
  expect(attached).toMatchObject({ type: "local_volume", name: "this", attributes: { instance_id: "u-web-this" } });
});

test("M206 a volume waits for an instance that has not been built yet", () => {
  expect(() => blueprint.resources(entityOf("web"), account, aroundOf({}))).toThrow(
    expect.objectContaining({ code: "deployer.bad_spec", message: expect.stringContaining('"web"') as string }),
  );
});

test("M206 the status names the instance and the device only while the volume is attached", () => {
  const read = (instance: string) => {
    const attributes = { id: "v-this", instance_id: instance, device: "/dev/disk/by-id/cloudwright-v-this", size_gib: 10 };
    return blueprint.outputs(() => attributes, entityOf(instance === "" ? "" : "web"), aroundOf({}));
  };
  expect(read("")).toEqual({ volume_id: "v-this", attached_to: "", device: "", size_gib: 10 });
  expect(read("u-web-this")).toMatchObject({ attached_to: "web", device: "/dev/disk/by-id/cloudwright-v-this" });
});
