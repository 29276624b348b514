import { expect, test } from "vitest";
import { textOf } from "../../read-spec.ts";
import type { DeployedAccount, JsonObject } from "../../task.ts";
import { createTestEntity, createTestSurroundings } from "../../testing/test-task.ts";
import { azureInstanceBlueprint as blueprint } from "./instance.ts";

const account: DeployedAccount = { uid: "a", name: "sim", cloud: "azure", simulated: true, spec: {} };
const uid = "0199aaaa-0000-7000-8000-0123456789ab";
const network = "/subscriptions/s/resourceGroups/net/providers/Microsoft.Network/virtualNetworks/net";
const nodes = `${network}/subnets/nodes`;
const outputs = {
  zones: ["westeurope-1", "westeurope-2"],
  public_subnet_ids: [],
  private_subnet_ids: [nodes],
  intra_subnet_ids: [`${network}/subnets/api-server`],
};
const publicKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ ops";
const key = { field: "sshKeys", kind: "SshKey", uid: "k", name: "ops", spec: { publicKey }, outputs: {} };
const entity = (spec: JsonObject) =>
  createTestEntity("Instance", {
    uid,
    name: "web",
    labels: { team: "a" },
    spec: { image: "ubuntu-24.04", rootDisk: { sizeGib: 30 }, provisioner: "direct", sshKeys: ["ops"], ...spec },
  });
const around = createTestSurroundings({
  parents: [{ kind: "Network", uid: "n", name: "net", spec: { region: "westeurope" }, outputs }],
});
type References = ReturnType<typeof createTestSurroundings>["references"];
const list = (spec: JsonObject = {}, more: JsonObject = {}, references: References = [key], from = account) =>
  new Map(
    blueprint
      .resources(entity(spec), from, { ...around, references, observed: more })
      .map((each) => [each.type, each.attributes]),
  );
const machine = "azurerm_linux_virtual_machine";

test("M143 M159 an instance is private and has trusted launch unless the spec says otherwise", () => {
  const resources = list();
  expect([...resources.keys()]).toEqual(["azurerm_resource_group", "azurerm_network_interface", machine]);
  expect(resources.get(machine)).toMatchObject({
    name: "web-456789ab",
    location: "westeurope",
    zone: "1",
    size: "Standard_D2s_v5",
    source_image_id: "ubuntu-24.04",
    admin_username: "azureuser",
    admin_ssh_key: [{ public_key: publicKey }],
    user_data: "",
    os_disk: [{ disk_size_gb: 30, disk_encryption_set_id: "" }],
    secure_boot_enabled: true,
    vtpm_enabled: true,
    encryption_at_host_enabled: false,
    power_state: "running",
    tags: { team: "a" },
  });
  expect(resources.get("azurerm_network_interface")).toMatchObject({
    ip_configuration: [{ subnet_id: nodes, public_ip_address_id: "" }],
    network_security_group_id: "",
  });
});

test("M143 M159 an instance gets a public address, a key, a group and other options that the spec asks for", () => {
  const kmsKey = "/subscriptions/s/resourceGroups/keys/providers/Microsoft.Compute/diskEncryptionSets/mine";
  const networkSecurityGroupId = "/subscriptions/s/resourceGroups/net/providers/Microsoft.Network/networkSecurityGroups/ssh";
  const azure = { resourceGroup: "shop", networkSecurityGroupId, trustedLaunch: false, hostEncryption: true };
  const resources = list({
    publicAddress: true,
    zone: "westeurope-2",
    running: false,
    user: "deploy",
    rootDisk: { sizeGib: 40, encrypted: true, kmsKey },
    azure,
  });
  expect([...resources.keys()]).toEqual(["azurerm_public_ip", "azurerm_network_interface", machine]);
  expect(resources.get("azurerm_public_ip")).toMatchObject({ resource_group_name: "shop", zones: ["2"] });
  expect(resources.get("azurerm_network_interface")).toMatchObject({
    network_security_group_id: networkSecurityGroupId,
    ip_configuration: [{ public_ip_address_id: { $address: "azurerm_public_ip.this" } }],
  });
  expect(resources.get(machine)).toMatchObject({
    zone: "2",
    admin_username: "deploy",
    os_disk: [{ disk_size_gb: 40, disk_encryption_set_id: kmsKey }],
    secure_boot_enabled: false,
    vtpm_enabled: false,
    encryption_at_host_enabled: true,
    power_state: "stopped",
  });
  // Machine types with Arm processors do not support trusted launch.
  expect(list({ machineType: "Standard_D2ps_v5" }).get(machine)).toMatchObject({ secure_boot_enabled: false });
  const bound = { ...account, spec: { azure: { resourceGroup: "team" } } };
  expect(list({}, {}, [key], bound).get(machine)).toMatchObject({ resource_group_name: "team" });
});

test("M159 the caller's user data reaches the machine, and it is no part of the keys", () => {
  const { user_data: userData } = list({}, { userData: "#!/bin/sh\necho hello\n" }).get(machine) ?? {};
  expect(Buffer.from(textOf(userData), "base64").toString()).toBe("#!/bin/sh\necho hello\n");
});

test("M159 what Azure does not accept is rejected by name", () => {
  expect(list({ subnet: `${network}/subnets/api-server` }).get("azurerm_network_interface")).toMatchObject({
    ip_configuration: [{ subnet_id: `${network}/subnets/api-server` }],
  });
  const refused: readonly (readonly [JsonObject, string])[] = [
    [{ sshKeys: [] }, "spec.sshKeys"],
    [{ user: "admin" }, "spec.user"],
    [{ metadataTokens: "optional" }, "spec.metadataTokens"],
    [{ rootDisk: { sizeGib: 20 } }, "spec.rootDisk.sizeGib"],
    [{ rootDisk: { sizeGib: 30, encrypted: false } }, "spec.rootDisk.encrypted"],
    [{ rootDisk: { sizeGib: 30, kmsKey: "mine" } }, "spec.rootDisk.kmsKey"],
    [{ subnet: "subnet-x" }, "subnet-x"],
    [{ zone: "7" }, "zone 7"],
  ];
  for (const [spec, word] of refused)
    expect(() => list(spec)).toThrow(
      expect.objectContaining({ code: "deployer.bad_spec", message: expect.stringContaining(word) as string }),
    );
  const ecdsa = { ...key, spec: { publicKey: "ecdsa-sha2-nistp256 AAAA ops" } };
  expect(() => list({}, {}, [ecdsa])).toThrow(expect.objectContaining({ code: "deployer.bad_spec" }));
});

test("M143 X033 the status has addresses and user, and a replaced machine of the same id is new", () => {
  const attributes: Readonly<Record<string, JsonObject>> = {
    [`${machine}.this`]: { id: "/vm", virtual_machine_id: "m-2", zone: "1", power_state: "running", resource_group_name: "g" },
    "azurerm_network_interface.this": { private_ip_address: "10.0.0.4", ip_configuration: [{ subnet_id: nodes }] },
    "azurerm_public_ip.this": { ip_address: "203.0.113.4" },
  };
  const read = (before: JsonObject) =>
    blueprint.outputs((address) => attributes[address] ?? {}, entity({}), { ...around, outputs: before });
  expect(read({})).toMatchObject({
    instance_id: "/vm",
    is_new: true,
    private_address: "10.0.0.4",
    public_address: "203.0.113.4",
    machine_status: "running",
    user: "azureuser",
    zone: "westeurope-1",
    subnet_id: nodes,
  });
  expect(read({ instance_id: "/vm", virtual_machine_id: "m-2" })).toMatchObject({ is_new: false });
  expect(read({ instance_id: "/vm", virtual_machine_id: "m-1" })).toMatchObject({ is_new: true });
  const about = { resourceType: machine, address: `${machine}.this` };
  expect(blueprint.isChangedByOthers?.(about, ["ready"], around)).toBe(true);
  expect(blueprint.isChangedByOthers?.(about, ["power_state"], around)).toBe(false);
});

test("M180 an instance joins the groups of its security groups, and their network security group", () => {
  const folder = "/subscriptions/s/resourceGroups/net/providers/Microsoft.Network";
  const group = (name: string, change: JsonObject = {}) => ({
    field: "securityGroups",
    kind: "SecurityGroup",
    uid: name,
    name,
    spec: {},
    outputs: {
      group_id: `${folder}/applicationSecurityGroups/${name}`,
      network_security_group_id: `${folder}/networkSecurityGroups/shared`,
      ...change,
    },
  });
  const securityGroups = ["web", "db"];
  const card = (...groups: ReturnType<typeof group>[]) =>
    list({ securityGroups }, {}, [key, ...groups]).get("azurerm_network_interface");
  expect(card(group("web"), group("db"))).toMatchObject({
    network_security_group_id: `${folder}/networkSecurityGroups/shared`,
    application_security_group_ids: ["db", "web"].map((name) => `${folder}/applicationSecurityGroups/${name}`),
  });
  const refuse = (...groups: ReturnType<typeof group>[]) =>
    expect(() => card(...groups)).toThrow(expect.objectContaining({ code: "deployer.bad_spec" }));
  refuse(group("web"), group("db", { group_id: "" }));
  refuse(group("web"), group("db", { network_security_group_id: `${folder}/networkSecurityGroups/other` }));
  const azure = { networkSecurityGroupId: `${folder}/networkSecurityGroups/own` };
  expect(() => list({ securityGroups, azure }, {}, [key, group("web")])).toThrow(
    expect.objectContaining({ code: "deployer.bad_spec", message: expect.stringContaining("networkSecurityGroupId") as string }),
  );
});
