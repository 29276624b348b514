import { renderUserData, type InstanceUserData } from "@cloudwright/clouds";
import { create } from "@bufbuild/protobuf";
import { findParent } from "@cloudwright/contract";
import { getCloud, listSpecProblems } from "@cloudwright/contract/clouds";
import {
  AzureInstanceSchema,
  type AzureInstance,
  type InstanceSpec,
} from "@cloudwright/contract/gen/cloudwright/v1/instance_pb.ts";
import { Fault } from "@cloudwright/platform";
import { refer, type Blueprint, type DesiredResource } from "../../executor/in-process/blueprint.ts";
import { deployerFaults } from "../../faults.ts";
import { getNetwork, type NetworkFacts } from "../../find-network.ts";
import { readUserData, userDataFact } from "../../instance/user-data.ts";
import { objectOf, textOf, textsOf } from "../../read-spec.ts";
import { refuseProblems } from "../../refuse-problems.ts";
import { renderTags } from "../../render-tags.ts";
import type { DeployedAccount, DeployedEntity, Json, JsonObject, Surroundings } from "../../task.ts";
import { listGroupIds } from "../list-group-ids.ts";
import { openTypes } from "../open-types.ts";
import { uniqueName } from "./names.ts";

type Instance = DeployedEntity<"Instance">;

// Each type comes before the types that refer to it.
const types = ["azurerm_resource_group", "azurerm_public_ip", "azurerm_network_interface", "azurerm_linux_virtual_machine"];
const [groupAddress, addressAddress, cardAddress, machineAddress] = types.map((type) => `${type}.this`) as [
  string,
  string,
  string,
  string,
];
const { regions, machines, instances } = getCloud("azure");

/**
 * Desired health of every resource. If a resource is not ready, an update waits until its interrupted creation has finished. If Azure
 * could not create a resource, the resource is replaced.
 */
const healthy = { ready: true, failed: false };

/**
 * A virtual machine with its own network interface, and with a public address if the spec requests one. Attributes have the same names as
 * in the Terraform provider, so that the same policies and previews apply.
 */
export const azureInstanceBlueprint: Blueprint<"Instance"> = {
  service: "instance",
  cloud: "azure",
  version: "v1.0.0",
  openTypes: (work) => openTypes(work, types),
  observe: async (_entity, _around, { secrets }) => readUserData(secrets),
  resources(entity, account, around) {
    refuseForeign(entity, around);
    return listDesired(entity, account, around);
  },
  outputs(attributesOf, entity, around) {
    const [machine, card] = [attributesOf(machineAddress), attributesOf(cardAddress)];
    const machineId = textOf(machine["virtual_machine_id"]);
    const zone = textOf(machine["zone"]);
    const { region } = getNetwork(entity, around);
    return {
      instance_id: textOf(machine["id"]),
      // A replacement has the same ARM id as the machine it replaces, but a different machine id.
      is_new: machineId !== textOf(around.outputs["virtual_machine_id"]),
      virtual_machine_id: machineId,
      private_address: textOf(card["private_ip_address"]),
      public_address: textOf(attributesOf(addressAddress)["ip_address"]),
      machine_status: textOf(machine["power_state"]),
      machine_type: textOf(machine["size"]),
      zone: zone === "" ? "" : regions.renderZone(region, zone),
      user: renderStart(entity, around).user,
      subnet_id: textOf(readConfiguration(card)["subnet_id"]),
      region,
      resource_group_name: textOf(machine["resource_group_name"]),
    };
  },
  isChangedByOthers: (_resource, path) => path[0] === "ready",
};

function azureOf({ cloud }: InstanceSpec): AzureInstance {
  return cloud.case === "azure" ? cloud.value : create(AzureInstanceSchema);
}

/** Throws if the spec contains a setting that Azure does not support. The API checks new instances in the same way. */
function refuseForeign({ name, spec }: Instance, around: Surroundings): void {
  const { sizeGib = 0, encrypted = true, kmsKey = "" } = spec.rootDisk ?? {};
  const shape = { ...spec, rootDisk: { sizeGib, encrypted, kmsKey } };
  const [problem] = instances?.listProblems(shape) ?? [];
  if (problem !== undefined) throw new Fault(deployerFaults.bad_spec, `${problem.field} of ${name} ${problem.message}`);
  refuseProblems(name, listSpecProblems("azure", "Instance", { name, spec: renderShape(spec), owner: {}, region: "" }));
  const strange = listKeys(around).find((key) => !/^ssh-(rsa|ed25519)\s+\S/.test(key));
  if (strange === undefined) return;
  const message = `an SSH key of ${name} has the type ${strange.split(/\s/)[0]}; Azure accepts only ssh-rsa and ssh-ed25519`;
  throw new Fault(deployerFaults.bad_spec, message);
}

/** Renders the fields of the spec to which Azure's rules for whole instances apply, as the API sees them. */
function renderShape(spec: InstanceSpec): JsonObject {
  const { networkSecurityGroupId } = azureOf(spec);
  return { securityGroups: spec.securityGroups, azure: { networkSecurityGroupId } };
}

function listDesired(entity: Instance, account: DeployedAccount, around: Surroundings): readonly DesiredResource[] {
  const { spec } = entity;
  const network = getNetwork(entity, around);
  const [name, tags] = [uniqueName(entity), renderTags("azure", entity)];
  const existing = findGroup(entity, account, around.outputs);
  const zone = chooseZone(entity, network, around);
  const group: Json = existing ?? refer(groupAddress, "name");
  const place = { resource_group_name: group, location: network.region, tags, ...healthy };
  const configuration = {
    subnet_id: chooseSubnet(entity, network),
    public_ip_address_id: spec.publicAddress ? refer(addressAddress, "id") : "",
  };
  return [
    ...(existing === undefined ? [describe(groupAddress, { name, location: network.region, tags })] : []),
    ...(spec.publicAddress ? [describe(addressAddress, { name: `${name}-ip`, zones: zone === "" ? [] : [zone], ...place })] : []),
    describe(cardAddress, {
      name: `${name}-nic`,
      ip_configuration: [configuration],
      ...renderGroups(entity, around),
      ...place,
    }),
    describe(machineAddress, { name, zone, ...renderMachine(entity, around), ...place }),
  ];
}

/**
 * Renders the groups of the network interface: the application security groups of the instance's security groups, and the network security
 * group that contains their rules.
 */
function renderGroups(entity: Instance, around: Surroundings): JsonObject {
  const { name, spec } = entity;
  const members = listGroupIds(entity, around);
  const groups = around.references.filter(({ field }) => field === "securityGroups");
  const shared = [...new Set(groups.map(({ outputs }) => textOf(outputs["network_security_group_id"])))];
  if (shared.length > 1) {
    const message = `the security groups of ${name} are in different resource groups (${shared.join(", ")}), but an instance in Azure can use only one of them; create the groups again`;
    throw new Fault(deployerFaults.bad_spec, message);
  }
  return {
    network_security_group_id: shared[0] ?? azureOf(spec).networkSecurityGroupId,
    application_security_group_ids: members,
  };
}

function describe(address: string, attributes: JsonObject): DesiredResource {
  const [type = "", name = ""] = address.split(".");
  return { type, name, attributes };
}

function renderMachine(entity: Instance, around: Surroundings): JsonObject {
  const { spec } = entity;
  const { trustedLaunch, hostEncryption } = azureOf(spec);
  const size = spec.machineType || machines.defaultType;
  const isTrusted = trustedLaunch ?? !isArm(size);
  const { userData, user } = renderStart(entity, around);
  return {
    size,
    source_image_id: spec.image,
    admin_username: user,
    admin_ssh_key: listKeys(around).map((key) => ({ public_key: key })),
    network_interface_ids: [refer(cardAddress, "id")],
    user_data: userData,
    // Azure encrypts every disk. A disk encryption set replaces Azure's key with the user's.
    os_disk: [{ disk_size_gb: spec.rootDisk?.sizeGib ?? 0, disk_encryption_set_id: spec.rootDisk?.kmsKey ?? "" }],
    secure_boot_enabled: isTrusted,
    vtpm_enabled: isTrusted,
    encryption_at_host_enabled: hostEncryption,
    power_state: spec.running === false ? "stopped" : "running",
  };
}

/** Returns whether a size has an Arm processor, indicated by a `p` after the number of vCPUs. Such sizes do not support trusted launch. */
function isArm(size: string): boolean {
  return /^Standard_[A-Z]+\d+(-\d+)?[a-oq-z]*p[a-z]*(_|$)/.test(size);
}

function listKeys({ references }: Surroundings): string[] {
  return references.filter(({ field }) => field === "sshKeys").map((key) => textOf(key.spec["publicKey"]).trim());
}

function renderStart({ spec }: Instance, around: Surroundings): InstanceUserData {
  const userData = textOf(around.observed?.[userDataFact]);
  return renderUserData("azure", { image: spec.image, sshKeys: listKeys(around), user: spec.user, userData });
}

/**
 * Returns the existing resource group for an instance, or undefined if the instance gets its own group. An existing instance keeps its group,
 * because changing it would replace the machine.
 */
function findGroup(entity: Instance, account: DeployedAccount, outputs: JsonObject): string | undefined {
  const built = textOf(outputs["resource_group_name"]);
  if (built !== "") return built === uniqueName(entity) ? undefined : built;
  return azureOf(entity.spec).resourceGroup || textOf(objectOf(account.spec["azure"])["resourceGroup"]) || undefined;
}

/** Chooses the subnet: the one that the spec names, or the network's first one. In Azure, subnets span all zones. */
function chooseSubnet({ name, spec }: Instance, network: NetworkFacts): string {
  const known = [...network.publicSubnetIds, ...network.privateSubnetIds, ...network.intraSubnetIds];
  if (spec.subnet === "") {
    const [first] = spec.publicAddress ? known : network.privateSubnetIds;
    if (first !== undefined) return first;
    throw new Fault(deployerFaults.bad_spec, `the network "${network.name}" of ${name} has no subnet for instances`);
  }
  if (known.includes(spec.subnet)) return spec.subnet;
  const message = `spec.subnet of ${name} is ${spec.subnet}, which is not a subnet of the network "${network.name}": ${known.join(", ")}`;
  throw new Fault(deployerFaults.bad_spec, message);
}

/**
 * Returns the number of the instance's zone: the one that the spec names, or the network's first one. Returns an empty string in regions
 * without zones.
 */
function chooseZone({ name, spec }: Instance, { region }: NetworkFacts, around: Surroundings): string {
  const offered = regions.findDefaultZones?.(region) ?? [];
  if (spec.zone === "") {
    const [first = ""] = textsOf(findParent(around, "Network")?.outputs["zones"]);
    return first.slice(-1);
  }
  const found = offered.find((zone) => regions.renderZone(region, zone) === regions.renderZone(region, spec.zone));
  if (found !== undefined) return found;
  const zones = offered.map((zone) => regions.renderZone(region, zone)).join(", ") || "none";
  throw new Fault(deployerFaults.bad_spec, `spec.zone of ${name} is the zone ${spec.zone}; zones of ${region}: ${zones}`);
}

function readConfiguration({ ip_configuration: blocks }: JsonObject): JsonObject {
  return objectOf(Array.isArray(blocks) ? blocks[0] : undefined);
}
