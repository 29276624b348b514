import { expect, test } from "vitest";
import type { DeployedAccount, JsonObject } from "../../task.ts";
import { createTestEntity, createTestSurroundings } from "../../testing/test-task.ts";
import { gcpVolumeBlueprint as blueprint } from "./volume.ts";

const account: DeployedAccount = { uid: "a", name: "sim", cloud: "gcp", simulated: true, spec: {} };
const uid = "0199aaaa-0000-7000-8000-0123456789ab";
const entityOf = (spec: JsonObject) =>
  createTestEntity("Volume", {
    uid,
    name: "data",
    labels: { team: "a" },
    spec: { account: "sim", sizeGib: 10, region: "europe-west1", ...spec },
  });
const aroundOf = (outputs: JsonObject) => ({
  ...createTestSurroundings(),
  references: [{ field: "instance", kind: "Instance", uid: "u-web", name: "web", spec: {}, outputs }],
});
const machine = "projects/shop/zones/europe-west1-b/instances/web-1";
const render = (spec: JsonObject, outputs: JsonObject = {}) => blueprint.resources(entityOf(spec), account, aroundOf(outputs));

test("M206 a volume is a balanced disk in the region's first zone, unless the spec says otherwise", () => {
  const [disk, ...others] = render({});
  expect(others).toEqual([]);
  expect(disk).toEqual({
    type: "google_compute_disk",
    name: "this",
    attributes: {
      name: "data-456789ab",
      zone: "europe-west1-b",
      type: "pd-balanced",
      size: 10,
      labels: { team: "a" },
      ready: true,
    },
  });
  expect(render({ zone: "d", type: "pd-ssd", sizeGib: 20 })[0]?.attributes).toMatchObject({
    zone: "europe-west1-d",
    type: "pd-ssd",
    size: 20,
  });
});

test("M206 attaching adds an attachment and leaves the disk as it is", () => {
  const [detached] = render({});
  const [disk, attachment] = render({ instance: "web" }, { instance_id: machine });
  expect(disk).toEqual(detached);
  expect(attachment).toMatchObject({
    type: "google_compute_attached_disk",
    name: "this",
    attributes: { instance: machine, device_name: `cw-${uid}`, mode: "READ_WRITE" },
  });
});

test("M206 instances that are not built or in another zone, and settings that do not fit, are rejected by name", () => {
  const refused: readonly (readonly [spec: JsonObject, outputs: JsonObject, word: string])[] = [
    [{ instance: "web" }, {}, '"web"'],
    [{ instance: "web", zone: "c" }, { instance_id: machine }, "europe-west1-c"],
    [{ region: "" }, {}, "spec.region"],
    [{ zone: "us-east1-b" }, {}, "spec.zone"],
    [{ type: "gp3" }, {}, "spec.type"],
  ];
  for (const [spec, outputs, word] of refused)
    expect(() => render(spec, outputs)).toThrow(
      expect.objectContaining({ code: "deployer.bad_spec", message: expect.stringContaining(word) as string }),
    );
});

test("M206 the status names the instance and the device only while the volume is attached", () => {
  const id = "projects/shop/zones/europe-west1-b/disks/data-456789ab";
  const read = (instance: string) =>
    blueprint.outputs(
      (address) => (address.startsWith("google_compute_disk.") ? { id, size: 10 } : { device_name: `cw-${uid}` }),
      entityOf({ instance }),
      aroundOf({}),
    );
  expect(read("")).toEqual({ volume_id: id, attached_to: "", device: "", size_gib: 10 });
  expect(read("web")).toEqual({
    volume_id: id,
    attached_to: "web",
    device: `/dev/disk/by-id/google-cw-${uid}`,
    size_gib: 10,
  });
});
