import { expect, test } from "vitest";
import type { DeployedAccount, JsonObject } from "../../task.ts";
import { createTestEntity, createTestSurroundings } from "../../testing/test-task.ts";
import { gcpInstanceBlueprint as blueprint } from "./instance.ts";

const account: DeployedAccount = { uid: "a", name: "sim", cloud: "gcp", simulated: true, spec: {} };
const subnet = "projects/shop/regions/europe-west1/subnetworks/main";
const outputs = { zones: ["europe-west1-b", "europe-west1-c"], private_subnet_ids: [subnet] };
const publicKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ ops";
const key = { field: "sshKeys", kind: "SshKey", uid: "k", name: "ops", spec: { publicKey }, outputs: {} };
const uid = "0199aaaa-0000-7000-8000-0123456789ab";
const entity = (spec: JsonObject) =>
  createTestEntity("Instance", {
    uid,
    name: "web",
    labels: { team: "a" },
    spec: { image: "ubuntu-24.04", rootDisk: { sizeGib: 20 }, provisioner: "direct", ...spec },
  });
const around = createTestSurroundings({
  parents: [{ kind: "Network", uid: "n", name: "net", spec: { region: "europe-west1" }, outputs }],
});
const render = (spec: JsonObject = {}, more: JsonObject = {}, references = [key]) =>
  blueprint.resources(entity(spec), account, { ...around, references, observed: more })[0]?.attributes ?? {};

test("M143 M159 an instance is private, shielded, and has no service account unless the spec says otherwise", () => {
  expect(render()).toEqual({
    name: "web-456789ab",
    zone: "europe-west1-b",
    machine_type: "e2-standard-2",
    boot_disk: [{ image: "ubuntu-24.04", size: 20, kms_key_self_link: "" }],
    network_interface: [{ subnetwork: subnet, has_public_address: false }],
    service_account: [],
    shielded_instance_config: [{ enable_secure_boot: true, enable_vtpm: true, enable_integrity_monitoring: true }],
    metadata: { "ssh-keys": `ubuntu:${publicKey}`, "block-project-ssh-keys": "TRUE", "enable-oslogin": "FALSE" },
    tags: [],
    labels: { team: "a" },
    desired_status: "RUNNING",
  });
  const kmsKey = "projects/shop/locations/europe-west1/keyRings/r/cryptoKeys/k";
  expect(
    render({
      publicAddress: true,
      zone: "c",
      running: false,
      rootDisk: { sizeGib: 40, kmsKey },
      gcp: { networkTags: ["web", "ssh"], serviceAccount: "web-1@shop.iam.gserviceaccount.com", shieldedVm: false },
    }),
  ).toMatchObject({
    zone: "europe-west1-c",
    boot_disk: [{ size: 40, kms_key_self_link: kmsKey }],
    network_interface: [{ has_public_address: true }],
    service_account: [
      { email: "web-1@shop.iam.gserviceaccount.com", scopes: ["https://www.googleapis.com/auth/cloud-platform"] },
    ],
    shielded_instance_config: [{ enable_secure_boot: false, enable_vtpm: false, enable_integrity_monitoring: false }],
    tags: ["ssh", "web"],
    desired_status: "TERMINATED",
  });
});

test("M206 an instance has the tags of its security groups and of its spec, and waits for a group that is not built", () => {
  const group = { ...key, field: "securityGroups", kind: "SecurityGroup", uid: "g", name: "db" };
  const tags = { gcp: { networkTags: ["web", "app"] } };
  expect(render(tags, {}, [key, { ...group, outputs: { group_id: "cw-g" } }])["tags"]).toEqual(["app", "cw-g", "web"]);
  expect(() => render({}, {}, [key, group])).toThrow(
    expect.objectContaining({ code: "deployer.bad_spec", message: expect.stringContaining('"db"') as string }),
  );
});

test("M159 the caller's user data is kept beside the keys", () => {
  const userData = "#!/bin/sh\necho hello\n";
  expect(render({ user: "deploy" }, { userData })["metadata"]).toMatchObject({
    "user-data": userData,
    "ssh-keys": `deploy:${publicKey}`,
  });
  expect(render({}, {}, [])["metadata"]).toEqual({});
});

test("M159 subnets, zones, keys and images that do not fit are rejected by name", () => {
  expect(render({ subnet })["network_interface"]).toMatchObject([{ subnetwork: subnet }]);
  const refused: readonly (readonly [JsonObject, string])[] = [
    [{ subnet: "projects/shop/regions/europe-west1/subnetworks/other" }, "subnetworks/other"],
    [{ zone: "us-east1-b" }, "us-east1-b"],
    [{ rootDisk: { kmsKey: "my-key" } }, "spec.rootDisk.kmsKey"],
  ];
  for (const [spec, word] of refused)
    expect(() => render(spec)).toThrow(
      expect.objectContaining({ code: "deployer.bad_spec", message: expect.stringContaining(word) as string }),
    );
  expect(() => render({ image: "windows-95" })).toThrow(expect.objectContaining({ code: "clouds.invalid" }));
});

test("M143 X033 the status has addresses and user, and a new public address is no drift", () => {
  const id = "projects/shop/zones/europe-west1-b/instances/web-456789ab";
  const attributes = { id, private_ip: "10.0.0.4", public_ip: "", desired_status: "TERMINATED", zone: "europe-west1-b" };
  const read = (before: JsonObject, spec: JsonObject = {}) =>
    blueprint.outputs(() => attributes, entity(spec), { ...around, outputs: before });
  expect(read({})).toMatchObject({
    instance_id: id,
    is_new: true,
    private_address: "10.0.0.4",
    user: "ubuntu",
    machine_status: "stopped",
    zone: "europe-west1-b",
    subnet_id: subnet,
    region: "europe-west1",
  });
  expect(read({ instance_id: id })).toMatchObject({ is_new: false });
  expect(read({}, { image: "debian-12" })).toMatchObject({ user: "debian" });
  const machine = { resourceType: "google_compute_instance", address: "google_compute_instance.this" };
  expect(blueprint.isChangedByOthers?.(machine, ["public_ip"], around)).toBe(true);
  expect(blueprint.isChangedByOthers?.(machine, ["desired_status"], around)).toBe(false);
});
