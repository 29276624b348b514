import { expect, test } from "vitest";
import type { DeployedAccount, JsonObject } from "../../task.ts";
import { createTestEntity, createTestSurroundings } from "../../testing/test-task.ts";
import { awsInstanceBlueprint as blueprint } from "./instance.ts";

const account: DeployedAccount = { uid: "a", name: "sim", cloud: "aws", simulated: true, spec: {} };
const outputs = {
  zones: ["eu-west-1a", "eu-west-1b"],
  public_subnet_ids: ["pub-a", "pub-b"],
  private_subnet_ids: ["prv-a", "prv-b"],
  intra_subnet_ids: ["int-a", "int-b"],
};
const key = {
  field: "sshKeys",
  kind: "SshKey",
  uid: "k",
  name: "ops",
  spec: { publicKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ ops" },
  outputs: {},
};
const entity = (spec: JsonObject) =>
  createTestEntity("Instance", {
    name: "web",
    labels: { team: "a" },
    spec: { image: "ubuntu-24.04", rootDisk: { sizeGib: 20 }, provisioner: "direct", ...spec },
  });
const around = createTestSurroundings({
  parents: [{ kind: "Network", uid: "n", name: "net", spec: { region: "eu-west-1" }, outputs }],
});
const render = (spec: JsonObject = {}, more: JsonObject = {}, references = [key]) =>
  blueprint.resources(entity(spec), account, { ...around, references, observed: more })[0]?.attributes ?? {};
const decode = (value: unknown): string => Buffer.from(String(value), "base64").toString();

test("M143 M159 an instance is private, encrypted and requires metadata tokens unless the spec says otherwise", () => {
  const { user_data_base64: userData, ...attributes } = render();
  expect(attributes).toEqual({
    ami: "ubuntu-24.04",
    instance_type: "t3.medium",
    subnet_id: "prv-a",
    associate_public_ip_address: false,
    root_block_device: [{ volume_size: 20, encrypted: true }],
    metadata_options: [{ http_tokens: "required" }],
    instance_state: "running",
    tags: { Name: "web", team: "a" },
  });
  expect(decode(userData)).toContain("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ");
  const kmsKey = "arn:aws:kms:eu-west-1:123456789012:key/k";
  expect(
    render({
      publicAddress: true,
      zone: "b",
      running: false,
      metadataTokens: "optional",
      rootDisk: { sizeGib: 40, encrypted: true, kmsKey },
      aws: { securityGroupIds: ["sg-2", "sg-1"] },
    }),
  ).toMatchObject({
    subnet_id: "pub-b",
    associate_public_ip_address: true,
    root_block_device: [{ volume_size: 40, encrypted: true }],
    root_kms_key_id: kmsKey,
    metadata_options: [{ http_tokens: "optional" }],
    instance_state: "stopped",
    vpc_security_group_ids: ["sg-1", "sg-2"],
  });
});

test("M159 the caller's user data is kept beside the keys, and it is sensitive", () => {
  const text = decode(render({ user: "deploy" }, { userData: "#!/bin/sh\necho hello\n" })["user_data_base64"]);
  expect(text).toContain("echo hello");
  expect(text).toContain('"name":"deploy"');
  expect(render({}, {}, [])["user_data_base64"]).toBe("");
});

test("M159 subnets and zones that the network does not have are rejected by name", () => {
  expect(render({ subnet: "int-b" })["subnet_id"]).toBe("int-b");
  const refused: readonly (readonly [JsonObject, string])[] = [
    [{ subnet: "subnet-x" }, "subnet-x"],
    [{ zone: "f" }, "zone f"],
    [{ rootDisk: { kmsKey: "alias/mine" } }, "spec.rootDisk.kmsKey"],
  ];
  for (const [spec, word] of refused)
    expect(() => render(spec)).toThrow(
      expect.objectContaining({ code: "deployer.bad_spec", message: expect.stringContaining(word) as string }),
    );
});

test("M143 X033 the status has addresses and user, and a new public address is no drift", () => {
  const attributes = { id: "i-2", private_ip: "10.0.0.4", public_ip: "", instance_state: "running", availability_zone: "z" };
  const read = (before: JsonObject, spec: JsonObject = {}) =>
    blueprint.outputs(() => attributes, entity(spec), { ...around, outputs: before });
  expect(read({})).toMatchObject({ instance_id: "i-2", is_new: true, private_address: "10.0.0.4", user: "ubuntu" });
  expect(read({ instance_id: "i-2" })).toMatchObject({ is_new: false });
  expect(read({ instance_id: "i-1" }, { image: "ami-0123456789abcdef0" })).toMatchObject({ is_new: true, user: "" });
  const machine = { resourceType: "aws_instance", address: "aws_instance.this" };
  expect(blueprint.isChangedByOthers?.(machine, ["public_ip"], around)).toBe(true);
  expect(blueprint.isChangedByOthers?.(machine, ["instance_state"], around)).toBe(false);
});

test("M206 an instance has the platform's groups and those that the spec names, and keeps the VPC's default group until it has one", () => {
  const group = (id: string) => ({
    field: "securityGroups",
    kind: "SecurityGroup",
    uid: id,
    name: id,
    spec: {},
    outputs: { group_id: id },
  });
  const groupsOf = (ids: string[], given: string[], before: JsonObject = {}) =>
    blueprint.resources(entity({ securityGroups: ids, aws: { securityGroupIds: given } }), account, {
      ...around,
      references: ids.map(group),
      observed: {},
      outputs: before,
    })[0]?.attributes["vpc_security_group_ids"];
  expect(groupsOf(["sg-3", "sg-1"], ["sg-2", "sg-1"])).toEqual(["sg-1", "sg-2", "sg-3"]);
  expect(groupsOf([], [])).toBeUndefined();
  expect(groupsOf([], [], { has_groups: true })).toEqual([]);
  const read = (spec: JsonObject, before: JsonObject) =>
    blueprint.outputs(() => ({}), entity(spec), { ...around, outputs: before });
  expect(read({ securityGroups: ["web"] }, {})["has_groups"]).toBe(true);
  expect(read({}, { has_groups: true })["has_groups"]).toBe(true);
  expect(read({}, {})["has_groups"]).toBe(false);
  const unbuilt = { ...around, references: [{ ...group("sg-1"), outputs: {} }] };
  expect(() => blueprint.resources(entity({ securityGroups: ["sg-1"] }), account, unbuilt)).toThrow(
    expect.objectContaining({ code: "deployer.bad_spec" }),
  );
});
