import type { CloudRecord, Inventory } from "../../inventory/inventory.ts";
import { textOf } from "../../values/read-value.ts";

/** An attribute that is not in the schema: the number of blobs that Terraform did not create. `cloud sim drift` sets it. */
const countName = "object_count";

/**
 * Returns the number of blobs in a simulated container: those created by Terraform, plus the recorded count of all others. `bucket` is the
 * id of a container, or the name of a storage account. For a storage account, the blobs of all its containers are counted.
 */
export async function countBlobs(inventory: Inventory, tenant: string, bucket: string): Promise<number> {
  const containers = (await inventory.list(tenant, "azurerm_storage_container")).filter((container) =>
    isMeant(container, bucket),
  );
  const accounts = (await inventory.list(tenant, "azurerm_storage_account")).filter((account) => isMeant(account, bucket));
  const names = new Set(containers.flatMap(({ id, attributes }) => [id, textOf(attributes["name"])]));
  const blobs = (await inventory.list(tenant, "azurerm_storage_blob")).filter(
    ({ attributes }) =>
      names.has(textOf(attributes["storage_container_id"])) || names.has(textOf(attributes["storage_container_name"])),
  );
  return blobs.length + [...containers, ...accounts].reduce((sum, { attributes }) => sum + readCount(attributes[countName]), 0);
}

function isMeant({ id, attributes }: CloudRecord, bucket: string): boolean {
  const name = textOf(attributes["name"]);
  return (
    id.toLowerCase() === bucket.toLowerCase() ||
    name === bucket ||
    new RegExp(`/storageAccounts/${escape(bucket)}/`, "i").test(id)
  );
}

function readCount(count: unknown): number {
  return typeof count === "number" && Number.isInteger(count) && count > 0 ? count : 0;
}

function escape(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9]/g, String.raw`\$&`);
}
