import { renderUserData, type InstanceUserData } from "@cloudwright/clouds";
import { getCloud } from "@cloudwright/contract/clouds";
import { Fault } from "@cloudwright/platform";
import type { Blueprint, DesiredResource } from "../../executor/in-process/blueprint.ts";
import { deployerFaults } from "../../faults.ts";
import { getNetwork } from "../../find-network.ts";
import { readUserData, userDataFact } from "../../instance/user-data.ts";
import { toZone } from "../../kubernetes/gcp/desired.ts";
import { textOf, textsOf } from "../../read-spec.ts";
import { renderTags } from "../../render-tags.ts";
import type { DeployedEntity, Surroundings } from "../../task.ts";
import { listGroupIds } from "../list-group-ids.ts";
import { openTypes } from "../open-types.ts";

const type = "google_compute_instance";
const address = `${type}.this`;
const { machines } = getCloud("gcp");
const statuses: Readonly<Record<string, string>> = { RUNNING: "running", TERMINATED: "stopped" };

/**
 * One Compute Engine instance. Attributes have the same names as in the Terraform provider, so that the same policies and previews apply.
 */
export const gcpInstanceBlueprint: Blueprint<"Instance"> = {
  service: "instance",
  cloud: "gcp",
  version: "v1.0.0",
  openTypes: (work) => openTypes(work, [type]),
  observe: async (_entity, _around, { secrets }) => readUserData(secrets),
  resources: (entity, _account, around) => [renderInstance(entity, around)],
  outputs(attributesOf, entity, around) {
    const instance = attributesOf(address);
    return {
      instance_id: textOf(instance["id"]),
      is_new: textOf(instance["id"]) !== textOf(around.outputs["instance_id"]),
      private_address: textOf(instance["private_ip"]),
      public_address: textOf(instance["public_ip"]),
      machine_status: statuses[textOf(instance["desired_status"])] ?? "",
      machine_type: textOf(instance["machine_type"]),
      zone: textOf(instance["zone"]),
      user: renderStart(entity, around).user,
      subnet_id: chooseSubnet(entity, around),
      region: getNetwork(entity, around).region,
    };
  },
  // Compute Engine assigns a new public address whenever a stopped instance starts.
  isChangedByOthers: (_resource, path) => path[0] === "public_ip" || path[0] === "ready",
};

function renderInstance(entity: DeployedEntity<"Instance">, around: Surroundings): DesiredResource {
  const { spec } = entity;
  const gcp = spec.cloud.case === "gcp" ? spec.cloud.value : undefined;
  const { sizeGib = 0, kmsKey = "" } = spec.rootDisk ?? {};
  if (kmsKey !== "" && !/^projects\/[^/]+\/locations\/[^/]+\/keyRings\/[^/]+\/cryptoKeys\/[^/]+$/.test(kmsKey))
    throw new Fault(deployerFaults.bad_spec, `spec.rootDisk.kmsKey of ${entity.name} must be the full name of a KMS key`);
  const isShielded = gcp?.shieldedVm ?? true;
  const email = gcp?.serviceAccount ?? "";
  return {
    type,
    name: "this",
    attributes: {
      name: renderName(entity),
      zone: chooseZone(entity, around),
      machine_type: spec.machineType || machines.defaultType,
      boot_disk: [{ image: spec.image, size: sizeGib, kms_key_self_link: kmsKey }],
      network_interface: [{ subnetwork: chooseSubnet(entity, around), has_public_address: spec.publicAddress }],
      service_account: email === "" ? [] : [{ email, scopes: ["https://www.googleapis.com/auth/cloud-platform"] }],
      shielded_instance_config: [
        { enable_secure_boot: isShielded, enable_vtpm: isShielded, enable_integrity_monitoring: isShielded },
      ],
      metadata: { ...renderStart(entity, around).metadata },
      // The id of a group is the network tag of its instances.
      tags: [...new Set([...(gcp?.networkTags ?? []), ...listGroupIds(entity, around)])].toSorted(),
      labels: renderTags("gcp", entity),
      desired_status: spec.running === false ? "TERMINATED" : "RUNNING",
    },
  };
}

/**
 * Renders the instance's name, which is also its host name. It ends with the last characters of the uid, because names must be unique
 * within a zone.
 */
function renderName({ name, uid }: DeployedEntity<"Instance">): string {
  return `${name.slice(0, 54).replace(/-$/, "")}-${uid.replaceAll("-", "").slice(-8)}`;
}

function renderStart({ spec }: DeployedEntity<"Instance">, around: Surroundings): InstanceUserData {
  const sshKeys = around.references.filter(({ field }) => field === "sshKeys").map((key) => textOf(key.spec["publicKey"]));
  const userData = textOf(around.observed?.[userDataFact]);
  return renderUserData("gcp", { image: spec.image, sshKeys, user: spec.user, userData });
}

/**
 * Chooses the subnet: the one that the spec names, or the network's first one. In Google Cloud, subnets span all zones and support public
 * addresses.
 */
function chooseSubnet(entity: DeployedEntity<"Instance">, around: Surroundings): string {
  const { name, spec } = entity;
  const network = getNetwork(entity, around);
  const [first] = network.privateSubnetIds;
  if (spec.subnet !== "" && !network.privateSubnetIds.includes(spec.subnet)) {
    const message = `spec.subnet of ${name} is ${spec.subnet}, which is not a subnet of the network "${network.name}": ${network.privateSubnetIds.join(", ")}`;
    throw new Fault(deployerFaults.bad_spec, message);
  }
  const chosen = spec.subnet || first;
  if (chosen !== undefined) return chosen;
  throw new Fault(deployerFaults.bad_spec, `the network "${network.name}" of ${name} has no subnet`);
}

/** Chooses the zone: the one that the spec names, or the network's first one. */
function chooseZone(entity: DeployedEntity<"Instance">, around: Surroundings): string {
  const { name, spec } = entity;
  const { region, name: network } = getNetwork(entity, around);
  if (spec.zone !== "") return toZone(spec.zone, region, `spec.zone of ${name}`);
  const [first] = textsOf(around.parents.find(({ kind }) => kind === "Network")?.outputs["zones"]);
  if (first !== undefined) return first;
  throw new Fault(deployerFaults.bad_spec, `the network "${network}" of ${name} has no zones; set spec.zone`);
}
