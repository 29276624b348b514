import { expect, test } from "vitest";
import type { DeployedAccount, JsonObject } from "../../task.ts";
import { createTestEntity, createTestSurroundings } from "../../testing/test-task.ts";
import { awsVolumeBlueprint as blueprint } from "./volume.ts";

const account: DeployedAccount = { uid: "a", name: "sim", cloud: "aws", simulated: true, spec: {} };
const entityOf = (spec: JsonObject = {}) =>
  createTestEntity("Volume", {
    name: "data",
    labels: { team: "a" },
    spec: { account: "sim", region: "eu-west-1", sizeGib: 10, ...spec },
  });
const aroundOf = (outputs: JsonObject) => ({
  ...createTestSurroundings(),
  references: [{ field: "instance", kind: "Instance", uid: "u-web", name: "web", spec: {}, outputs }],
});
const render = (spec: JsonObject = {}, outputs: JsonObject = {}) =>
  blueprint.resources(entityOf(spec), account, aroundOf(outputs))[0]?.attributes;

test("M206 a volume in AWS is an encrypted gp3 volume in the region's first zone unless the spec says otherwise", () => {
  expect(render()).toEqual({
    availability_zone: "eu-west-1a",
    size: 10,
    type: "gp3",
    encrypted: true,
    instance_id: "",
    tags: { Name: "data", team: "a" },
    ready: true,
  });
  expect(render({ zone: "b", type: "gp2" })).toMatchObject({ availability_zone: "eu-west-1b", type: "gp2" });
  expect(render({ zone: "eu-west-1c" })).toMatchObject({ availability_zone: "eu-west-1c" });
});

test("M206 attaching is an update of the volume, and waits for the instance", () => {
  expect(render({ instance: "web" }, { instance_id: "i-1" })).toMatchObject({ instance_id: "i-1" });
  expect(() => render({ instance: "web" })).toThrow(
    expect.objectContaining({ code: "deployer.bad_spec", message: expect.stringContaining('"web"') as string }),
  );
});

test("M206 the status names the instance and the device only while the volume is attached", () => {
  const read = (instance: string) => {
    const attributes = { id: "vol-1", instance_id: instance, device: "/dev/disk/by-id/nvme-x", size: 10 };
    return blueprint.outputs(() => attributes, entityOf({ instance: instance === "" ? "" : "web" }), aroundOf({}));
  };
  expect(read("")).toEqual({ volume_id: "vol-1", attached_to: "", device: "", size_gib: 10 });
  expect(read("i-1")).toMatchObject({ attached_to: "web", device: "/dev/disk/by-id/nvme-x" });
});
