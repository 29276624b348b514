import { ifReadable, refuseRequest } from "../../library/errors.ts";
import type { ResourceSku } from "../models.ts";
import { operations } from "../operations.ts";
import { spellLocation, type AzureContext } from "./context.ts";

/**
 * Throws `clouds.invalid` if Azure does not offer a machine type to the subscription in the location. Passes if the credentials do not allow
 * the check.
 */
export async function checkMachineType(
  { api, options }: AzureContext,
  { type, region }: { readonly type: string | undefined; readonly region: string | undefined },
  signal: AbortSignal | undefined,
): Promise<void> {
  if (type === undefined) return;
  const location = spellLocation(region ?? options.location);
  const query = { $filter: `location eq '${location.replaceAll("'", "''")}'` };
  const skus = await ifReadable(
    api.list<ResourceSku>(`list the machine types of ${location}`, operations.listSkus, { query, signal }),
  );
  const sizes = skus?.filter(({ resourceType }) => resourceType === "virtualMachines") ?? [];
  // A location without any sizes says nothing about this one.
  if (sizes.length === 0 || sizes.some((sku) => isSame(sku, type) && !isBarred(sku))) return;
  const list = `az vm list-skus --location ${location} --resource-type virtualMachines --output table`;
  throw refuseRequest(
    "azure",
    `${location} does not offer the machine type ${type} to the subscription; \`${list}\` lists the types that it offers`,
  );
}

/** Azure ignores the case of machine types. */
function isSame({ name = "" }: ResourceSku, type: string): boolean {
  return name.toLowerCase() === type.toLowerCase();
}

function isBarred({ restrictions = [] }: ResourceSku): boolean {
  return restrictions.some(({ type }) => type === "Location");
}
