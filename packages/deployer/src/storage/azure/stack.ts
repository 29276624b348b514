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
      throw new Fault(deployerFaults.bad_outputs, `the outputs of the storage's configuration are invalid: ${said}`);
    }
    return values;
  },
  prepareRemoval,
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
  { name, spec }: DeployedEntity<"Storage">,
  outputs: JsonObject,
  { countObjects }: Pick<Cloud, "countObjects">,
): Promise<{ readonly applyFirst: boolean }> {
  const bucket = textOf(outputs["resource_id"]);
  if (spec.type.case !== "bucket" || bucket === "" || spec.type.value.forceDestroy) return { applyFirst: false };
  const left = await countObjects?.(bucket);
  if (left === 0) return { applyFirst: false };
  const objects = left === undefined ? "objects that could not be counted" : left === 1 ? "1 object" : `${left} objects`;
  throw new Fault(deployerFaults.bucket_not_empty, `the bucket ${name} still contains ${objects} (${bucket})`, {
    extra: { bucket, ...(left === undefined ? {} : { objects: left }) },
  });
}
