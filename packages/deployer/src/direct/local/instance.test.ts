import { expect, test } from "vitest";
import type { DeployedAccount, JsonObject } from "../../task.ts";
import { createTestEntity, createTestSurroundings } from "../../testing/test-task.ts";
import { localInstanceBlueprint as blueprint } from "./instance.ts";

const account: DeployedAccount = { uid: "a", name: "rack", cloud: "local", simulated: false, spec: {} };
const publicKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ ops";
const references = [{ field: "sshKeys", kind: "SshKey", uid: "k", name: "ops", spec: { publicKey }, outputs: {} }];
const network = (outputs: JsonObject) => ({ kind: "Network", uid: "n", name: "net", spec: {}, outputs });
const around = createTestSurroundings({ parents: [network({ network_id: "net-1" })] });
const entity = (spec: JsonObject) => createTestEntity("Instance", { name: "web", spec: { image: "debian-12", ...spec } });
const render = (spec: JsonObject = {}, observed: JsonObject = {}) =>
  blueprint.resources(entity(spec), account, { ...around, references, observed })[0]?.attributes;

test("M206 M143 an instance is a small container that runs, unless the spec says otherwise", () => {
  const usual = {
    name: "web",
    project: "default",
    network_id: "net-1",
    image: "debian-12",
    machine_type: "1x1",
    disk_gib: 10,
    user: "admin",
    ssh_keys: [publicKey],
    user_data: "",
    groups: [],
    power_state: "running",
    ready: true,
    failed: false,
  };
  expect(render()).toEqual(usual);
  const spec = { machineType: "2x4", rootDisk: { sizeGib: 5 }, user: "ann", running: false };
  expect(render(spec, { userData: "#!/bin/sh\ntrue\n" })).toEqual({
    ...usual,
    machine_type: "2x4",
    disk_gib: 5,
    user: "ann",
    user_data: "#!/bin/sh\ntrue\n",
    power_state: "stopped",
  });
});

test("M206 settings without a meaning and a network that was not built are rejected by name", () => {
  const rejection = (word: string): unknown =>
    expect.objectContaining({ code: "deployer.bad_spec", message: expect.stringContaining(word) as string });
  expect(() => render({ zone: "a" })).toThrow(rejection("spec.zone"));
  const early = createTestSurroundings({ parents: [network({})] });
  expect(() => blueprint.resources(entity({}), account, early)).toThrow(rejection('"net"'));
});

test("M206 an instance is new if its host key is, because the id of a replacement is the same", () => {
  const attributes = {
    id: "uid-1-this",
    host_key: "ssh-ed25519 BBBB",
    private_address: "10.0.0.2",
    power_state: "running",
    machine_type: "1x1",
    user: "admin",
  };
  const read = (outputs: JsonObject) => blueprint.outputs(() => attributes, entity({}), { ...around, outputs });
  expect(read({})).toEqual({
    instance_id: "uid-1-this",
    is_new: true,
    host_key: "ssh-ed25519 BBBB",
    private_address: "10.0.0.2",
    public_address: "",
    machine_status: "running",
    machine_type: "1x1",
    user: "admin",
  });
  expect(read({ host_key: "ssh-ed25519 BBBB" })).toMatchObject({ is_new: false });
});
