import { renderUserData } from "@cloudwright/clouds";
import { findParent } from "@cloudwright/contract";
import { getCloud } from "@cloudwright/contract/clouds";
import { Fault } from "@cloudwright/platform";
import type { Blueprint, DesiredResource } from "../../executor/in-process/blueprint.ts";
import { deployerFaults } from "../../faults.ts";
import { readUserData, userDataFact } from "../../instance/user-data.ts";
import { textOf } from "../../read-spec.ts";
import type { DeployedEntity, Surroundings } from "../../task.ts";
import { listGroupIds } from "../list-group-ids.ts";
import { openTypes } from "../open-types.ts";

type Instance = DeployedEntity<"Instance">;

const type = "local_instance";
const address = `${type}.this`;
const { machines, instances } = getCloud("local");

/**
 * Desired health of an instance. If its creation was interrupted, an update completes it. If that is not possible, the instance is
 * replaced.
 */
const healthy = { ready: true, failed: false };

/** A container with an operating system of its own on the user's machine. */
export const localInstanceBlueprint: Blueprint<"Instance"> = {
  service: "instance",
  cloud: "local",
  version: "v1.0.0",
  openTypes: (work) => openTypes(work, [type]),
  observe: async (_entity, _around, { secrets }) => readUserData(secrets),
  resources(entity, _account, around) {
    refuseForeign(entity);
    return [renderInstance(entity, around)];
  },
  outputs(attributesOf, _entity, around) {
    const instance = attributesOf(address);
    const hostKey = textOf(instance["host_key"]);
    return {
      instance_id: textOf(instance["id"]),
      // An instance that replaces another one has the same id, but a new host key.
      is_new: hostKey !== textOf(around.outputs["host_key"]),
      host_key: hostKey,
      private_address: textOf(instance["private_address"]),
      public_address: "",
      machine_status: textOf(instance["power_state"]),
      machine_type: textOf(instance["machine_type"]),
      user: textOf(instance["user"]),
    };
  },
};

/** Throws if the spec contains a setting that has no meaning on the user's machines. The API checks new instances in the same way. */
function refuseForeign({ name, spec }: Instance): void {
  const { sizeGib = 0, encrypted, kmsKey = "" } = spec.rootDisk ?? {};
  const rootDisk = { sizeGib, kmsKey, ...(encrypted === undefined ? {} : { encrypted }) };
  const [problem] = instances?.listProblems({ ...spec, rootDisk }) ?? [];
  if (problem !== undefined) throw new Fault(deployerFaults.bad_spec, `${problem.field} of ${name} ${problem.message}`);
}

function renderInstance(entity: Instance, around: Surroundings): DesiredResource {
  const { name, project, spec } = entity;
  const sshKeys = around.references.filter(({ field }) => field === "sshKeys").map((key) => textOf(key.spec["publicKey"]).trim());
  const image = spec.image || (instances?.defaultImage ?? "");
  const start = { image, sshKeys, user: spec.user, userData: textOf(around.observed?.[userDataFact]) };
  const { user, userData } = renderUserData("local", start);
  return {
    type,
    name: "this",
    attributes: {
      name,
      project,
      network_id: findNetworkId(entity, around),
      image,
      machine_type: spec.machineType || machines.defaultType,
      disk_gib: spec.rootDisk?.sizeGib || (instances?.defaultDiskGib ?? 0),
      user,
      ssh_keys: sshKeys,
      user_data: userData,
      // Without a group, only the machine itself can connect to the instance.
      groups: listGroupIds(entity, around),
      power_state: spec.running === false ? "stopped" : "running",
      ...healthy,
    },
  };
}

function findNetworkId({ name }: Instance, around: Surroundings): string {
  const network = findParent(around, "Network");
  const id = textOf(network?.outputs["network_id"]);
  if (id !== "") return id;
  throw new Fault(deployerFaults.bad_spec, `the network "${network?.name ?? ""}" of ${name} has not been built yet`);
}
