import { openClaimedMachine } from "../../inventory/claimed-machine.ts";
import { getClaimedHost, listInstanceKeys, portOf, userOf } from "../../inventory/machine-access.ts";
import type { ExecutorWork } from "../../executor/executor.ts";
import { numberOf, textOf } from "../../read-spec.ts";
import type { DeployedEntity, JsonObject, Surroundings } from "../../task.ts";
import type { DesiredResource, ResourceType } from "../../executor/in-process/blueprint.ts";
import { openTypes } from "../open-types.ts";

type Instance = DeployedEntity<"Instance">;

const claimType = "local_claim";
const address = `${claimType}.this`;

/** Returns whether an instance claims a machine of an inventory. */
export function isClaim({ spec }: Instance): boolean {
  return spec.inventory !== "";
}

export async function openClaimTypes(work: Pick<ExecutorWork, "task" | "account" | "session">): Promise<readonly ResourceType[]> {
  return openTypes(work, [claimType], { machine: await openClaimedMachine(work) });
}

/** The claim on a machine: the SSH keys that the instance installs there, and its power state. */
export function renderClaim(entity: Instance, around: Surroundings): DesiredResource {
  const { host } = getClaimedHost(entity, around);
  return {
    type: claimType,
    name: "this",
    attributes: {
      host: host.name,
      ssh_keys: listInstanceKeys(around),
      power_state: entity.spec.running === false ? "stopped" : "running",
      ready: true,
      failed: false,
    },
  };
}

export function renderClaimOutputs(
  attributesOf: (address: string) => JsonObject,
  entity: Instance,
  around: Surroundings,
): JsonObject {
  const claim = attributesOf(address);
  const { inventory, host } = getClaimedHost(entity, around);
  return {
    instance_id: textOf(claim["id"]),
    is_new: false,
    private_address: host.address,
    port: portOf(host),
    public_address: "",
    machine_status: textOf(claim["power_state"]),
    machine_type: "",
    user: userOf(inventory, host),
    os: textOf(claim["os"]),
    architecture: textOf(claim["architecture"]),
    cores: numberOf(claim["cores"]),
    memory_mib: numberOf(claim["memory_mib"]),
  };
}
