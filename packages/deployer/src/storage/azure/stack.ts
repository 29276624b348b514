import { Fault } from "@cloudwright/platform";
import { pickOutputs } from "@cloudwright/terraform";
import type { Cloud } from "../../cloud.ts";
import { findOrigin } from "../../configuration-origin.ts";
import { deployerFaults } from "../../faults.ts";
import { getNetwork } from "../../find-network.ts";
import { textOf } from "../../read-spec.ts";
import { renderTags } from "../../render-tags.ts";
import type { Stack } from "../../stack.ts";
import type { DeployedEntity, JsonObject, Surroundings } from "../../task.ts";
import { findGroup } from "./find-group.ts";
import { renderKind } from "./variables.ts";

/** A storage account with a container, or a managed disk. */
export const azureStorage: Stack<"Storage"> = {
  service: "storage",
  cloud: "azure",
  variables(entity, _account, around, version) {
    const { region } = getNetwork(entity, around);
    return {
      ...renderPlace(entity, around, region),
      ...renderKind(entity, { region, version, origin: findOrigin(around.outputs, version) }),
      tags: renderTags("azure", entity),
    };
  },
  removalVariables(entity, around) {
    const { region } = getNetwork(entity, around);
    const kind = entity.spec.type.case === "volume" ? { volume: { size_gib: 1 } } : { bucket: {} };
    return { ...renderPlace(entity, around, region), ...kind };
  },
  environment: () => ({}),
  status(outputs) {
    const { values, problems } = pickOutputs(outputs, {
      resource_id: "text",
      domain_name: "text",
      resource_group_name: "text",
      storage_account_name: "text",
    });
    if (problems.length > 0) {
      const said = problems.map(({ field, message }) => `${field} ${message}`).join(", ");
      throw new Fault(deployerFaults.bad_outputs, `the outputs of the storage configuration are invalid: ${said}`);
    }
    return values;
  },
  prepareRemoval,
  // Azure never deletes a locked immutability policy by itself, but deletes an empty container together with its policy.
  isDeletedWithParent: ({ resourceType, attributes }) =>
    resourceType === "azurerm_storage_container_immutability_policy" && attributes["locked"] === true,
  explainRemovalFailure,
  // The ids of containers and policies start with the id of their storage account.
  findUntagged({ type, names }, tagged) {
    if (!type.startsWith("azurerm_storage_")) return undefined;
    const accounts = [...tagged].filter(([, address]) => address.startsWith("azurerm_storage_account."));
    const owner = accounts.find(([id]) => names.some((name) => name === id || name.startsWith(`${id}/`)));
    // Users may add other containers to the storage account.
    const isOurs = type !== "azurerm_storage_container" || names.some((name) => name.endsWith("/containers/objects"));
    return isOurs ? owner?.[1].replace("azurerm_storage_account", type) : undefined;
  },
};

function renderPlace({ name, project, uid }: DeployedEntity<"Storage">, around: Surroundings, region: string): JsonObject {
  return { name, region, resource_group_name: findGroup(around), owner: { project, entity: uid } };
}

/**
 * Rejects the deletion of a bucket that contains objects. Azure itself would delete a storage account together with its objects, so the
 * deletion is also rejected if the objects cannot be counted.
 */
async function prepareRemoval(
  entity: DeployedEntity<"Storage">,
  outputs: JsonObject,
  { countObjects }: Pick<Cloud, "countObjects">,
): Promise<{ readonly applyFirst: boolean }> {
  const { spec } = entity;
  const bucket = textOf(outputs["resource_id"]);
  if (spec.type.case !== "bucket" || bucket === "") return { applyFirst: false };
  const isForced = spec.type.value.forceDestroy;
  // Azure deletes a container with a locked policy only if it is empty, so forcing the deletion has no effect.
  const isLocked = spec.type.value.objectLock?.mode === "COMPLIANCE";
  if (isForced && !isLocked) return { applyFirst: false };
  // If the deletion is forced and the objects cannot be counted, Azure itself protects those that are locked.
  const left = isForced ? await tryCount(countObjects, bucket) : await countObjects?.(bucket);
  if (left === 0 || (isForced && left === undefined)) return { applyFirst: false };
  throw (isLocked ? describeLocked : describeLeft)(entity, bucket, left);
}

/** Explains why Azure rejected the deletion of a container with a locked immutability policy. */
async function explainRemovalFailure(
  fault: Fault,
  { countObjects }: Pick<Cloud, "countObjects">,
  entity: DeployedEntity<"Storage">,
  outputs: JsonObject,
): Promise<Fault | undefined> {
  if (!/immutability ?polic|AccountProtectedFromDeletion/i.test(fault.message)) return undefined;
  const bucket = textOf(outputs["resource_id"]);
  const left = bucket === "" ? undefined : await tryCount(countObjects, bucket);
  // A container without objects cannot be the cause.
  return left === 0 ? undefined : describeLocked(entity, bucket, left, fault);
}

/** Returns undefined if the objects cannot be counted, for example because the account may not read them. */
async function tryCount(count: Cloud["countObjects"], bucket: string): Promise<number | undefined> {
  try {
    return await count?.(bucket);
  } catch {
    return undefined;
  }
}

function describeLeft({ name }: DeployedEntity<"Storage">, bucket: string, left: number | undefined): Fault {
  return new Fault(deployerFaults.bucket_not_empty, `the bucket ${name} still contains ${renderCount(left)} (${bucket})`, {
    extra: { bucket, ...(left === undefined ? {} : { objects: left }) },
  });
}

function describeLocked(
  { name, spec }: DeployedEntity<"Storage">,
  bucket: string,
  left: number | undefined,
  cause?: Fault,
): Fault {
  const days = spec.type.case === "bucket" ? spec.type.value.objectLock?.days : undefined;
  const until =
    days === undefined ? "" : `; each object is locked until ${days} ${days === 1 ? "day" : "days"} after its creation`;
  const id = bucket === "" ? "" : ` (${bucket})`;
  const message = `the bucket ${name} still contains ${renderCount(left)}${id}, and its object lock cannot be removed${until}`;
  return new Fault(deployerFaults.bucket_locked, message, {
    ...(cause === undefined ? {} : { cause }),
    extra: { bucket, ...(left === undefined ? {} : { objects: left }) },
  });
}

function renderCount(left: number | undefined): string {
  return left === undefined ? "objects that could not be counted" : left === 1 ? "1 object" : `${left} objects`;
}
