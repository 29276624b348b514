import type { CloudRecord } from "../inventory/inventory.ts";
import { findRegion } from "../cloud/regions.ts";
import type { HookContext } from "../provider/definition.ts";
import { textOf, textsAt } from "../values/read-value.ts";
import type { ValueMap } from "../values/value.ts";
import { subscriptionOf } from "./place.ts";
import type { Refusal } from "./refusal.ts";

/** Rejects names that Azure's network and compute services do not allow. */
export function checkName({ name }: ValueMap, most: number): readonly Refusal[] {
  const text = textOf(name);
  if (new RegExp(`^[A-Za-z0-9]([A-Za-z0-9_.-]{0,${most - 2}}[A-Za-z0-9_])?$`).test(text)) return [];
  const message = `Resource name ${text} is invalid. The name can be up to ${most} characters long. It must begin with a word character, and it must end with a word character or with '_'. The name may contain word characters or '.', '-', '_'.`;
  return [{ code: "InvalidResourceName", message, path: ["name"] }];
}

/** Rejects zones that the region does not have. `zones` contains numbers such as `1`. */
export function checkZones(zones: readonly string[], { location }: ValueMap): readonly Refusal[] {
  const region = textOf(location).toLowerCase().replaceAll(" ", "");
  const offered = findRegion("azure", region)?.zones ?? [];
  const wrong = zones.find((zone) => !offered.includes(`${region}-${zone}`));
  if (wrong === undefined) return [];
  const message =
    offered.length === 0
      ? `The zone(s) '${wrong}' for resource is not supported. Location '${region}' does not support availability zones.`
      : `The zone(s) '${wrong}' for resource is not supported. The supported zones for location '${region}' are '${offered.map((zone) => zone.slice(-1)).join(",")}'`;
  return [{ code: "InvalidAvailabilityZone", message }];
}

/** Returns the strings in an attribute that is a list or a set. */
export function listOf(attributes: ValueMap, name: string): readonly string[] {
  return textsAt(attributes, name);
}

/** Finds a resource's parent by the parent's type and name. The parent is in the same resource group. */
export function findParent(
  planned: ValueMap,
  kind: { readonly type: string; readonly segment: string; readonly nameAttribute: string },
  context: HookContext,
): Promise<CloudRecord | undefined> {
  return context.find({ type: kind.type, id: parentIdOf(planned, kind, context) });
}

/** Returns the id of a resource's parent, which is a network resource such as a virtual network. */
function parentIdOf(
  planned: ValueMap,
  { segment, nameAttribute }: { readonly segment: string; readonly nameAttribute: string },
  context: HookContext,
): string {
  const group = `/subscriptions/${subscriptionOf(context)}/resourceGroups/${textOf(planned["resource_group_name"])}`;
  return `${group}/providers/Microsoft.Network/${segment}/${textOf(planned[nameAttribute])}`;
}

/** Returns the error for a resource whose parent does not exist. */
export function missingParent(planned: ValueMap, segment: string, nameAttribute: string): Refusal {
  const message = `The Resource 'Microsoft.Network/${segment}/${textOf(planned[nameAttribute])}' under resource group '${textOf(planned["resource_group_name"])}' was not found. For more details please go to https://aka.ms/ARMResourceNotFoundFix`;
  return { code: "ResourceNotFound", message, status: 404, path: [nameAttribute] };
}

/** Returns the error for a reference to a resource that does not exist. */
export function missingReference(id: string): Refusal {
  const message = `Resource ${id} referenced by the request was not found. Please make sure that the referenced resource exists, and that both resources are in the same region.`;
  return { code: "InvalidResourceReference", message };
}
