import { getQuota } from "../cloud/quotas.ts";
import { listRegions } from "../cloud/regions.ts";
import { listPathNames, renderPath } from "../cloud/render-path.ts";
import type { Change, HookContext, Problem, ResourceHooks } from "../provider/definition.ts";
import { listBlanks, mergeValues } from "../schema/blank-values.ts";
import type { TypeSchema } from "../schema/schema.ts";
import { textsAt } from "../values/read-value.ts";
import type { ValueMap } from "../values/value.ts";
import { guid, subscriptionOf } from "./place.ts";
import { describeRefusal, type Refusal } from "./refusal.ts";
import type { AzureChange, AzureResource, AzureResources, Reference } from "./resource.ts";

/**
 * Creates the hooks of a resource type. They combine the behaviour common to all Azure resources and the behaviour specific to the type.
 */
export function createHooks(type: string, resources: AzureResources, { block }: TypeSchema): ResourceHooks {
  const resource = resources[type] as AzureResource;
  const { path, takes = { create: 2, update: 1, delete: 1 } } = resource;
  const inPath = typeof path === "string" ? listPathNames(path) : [];
  const fixed = [...inPath, "name", "resource_group_name", "location"].filter((name) => block.attributes[name] !== undefined);
  const holders = listTies(type, resources, "holds");
  const followers = listTies(type, resources, "follows");
  return {
    ...pick(resource, ["defaults", "computedBlocks", "read", "recompute"]),
    ...(resource.validate === undefined ? {} : { validate: (config) => resource.validate?.(config) ?? [] }),
    forceNew: [...new Set([...fixed, ...(resource.forceNew ?? [])])],
    takesMs: Object.fromEntries(Object.entries(takes).map(([operation, seconds]) => [operation, seconds * 1000])),
    createId: (planned, context) =>
      typeof path === "string"
        ? renderPath(path, { ...planned, subscription_id: subscriptionOf(context) })
        : path(planned, context),
    async check(change, context) {
      const asked = toAzureChange(change);
      const twin = change.operation === "create" ? await refuseTwin(type, change.id, context) : [];
      if (twin.length > 0) return twin;
      // Azure reports only one error per call, so the first failed check is returned.
      for (const look of [
        () => (change.operation === "delete" ? findHeld(change.id, resource, holders, context) : []),
        () => (change.operation === "delete" ? [] : checkLocation(asked.planned)),
        () => (change.operation === "delete" ? [] : checkGroup(type, asked.planned, context)),
        () => (change.operation === "delete" ? [] : findMissing(asked, resource, context)),
        () => resource.check?.(asked, context) ?? [],
        () => findExhausted(type, asked, resource, context),
      ]) {
        const [refusal] = await look();
        if (refusal !== undefined) return [describeRefusal({ noun: resource.noun, ...asked }, refusal)];
      }
      return [];
    },
    async compute(change, context) {
      const asked = toAzureChange(change);
      const usual = { tenant_id: guid(`tenant ${context.tenant}`), ...(await resource.compute?.(asked, context)) };
      return mergeValues(listBlanks(block, asked.planned), usual) as ValueMap;
    },
    ...(resource.sideEffects === undefined
      ? {}
      : { listSideEffects: async (change, context) => (await resource.sideEffects?.(toAzureChange(change), context)) ?? {} }),
    async listFollowers({ id }, context) {
      const isFollower = (from: string, attributes: ValueMap): boolean =>
        followers.some((tie) => tie.from === from && isTied(attributes, tie, id));
      return (await context.list()).filter(
        (record) =>
          record.id.startsWith(`${id}/`) || record.id.startsWith(`${id}|`) || isFollower(record.type, record.attributes),
      );
    },
  };
}

interface Tie extends Reference {
  readonly from: string;
}

function listTies(type: string, resources: AzureResources, tie: Reference["tie"]): readonly Tie[] {
  return Object.entries(resources).flatMap(([from, { names = [] }]) =>
    names.filter((name) => name.tie === tie && name.to.includes(type)).map((name) => ({ ...name, from })),
  );
}

function isTied(attributes: ValueMap, { path, idOf = same }: Reference, id: string): boolean {
  return textsAt(attributes, path).some((written) => idOf(written)?.toLowerCase() === id.toLowerCase());
}

async function findHeld(
  id: string,
  { held, noun }: AzureResource,
  holders: readonly Tie[],
  context: HookContext,
): Promise<readonly Refusal[]> {
  if (holders.length === 0) return [];
  const all = await context.list();
  const holder = all.find((record) => holders.some((tie) => tie.from === record.type && isTied(record.attributes, tie, id)));
  if (holder === undefined) return [];
  const message = `The ${noun} '${id.split("/").at(-1) ?? id}' is in use by ${holder.id}.`;
  return [held?.(id, holder) ?? { code: `InUse${noun.replaceAll(" ", "")}CannotBeDeleted`, message }];
}

async function findMissing(
  { planned }: AzureChange,
  { names = [] }: AzureResource,
  context: HookContext,
): Promise<readonly Refusal[]> {
  const found: Refusal[] = [];
  for (const { path, to, missing, idOf = same } of names) {
    if (missing === undefined) continue;
    for (const written of textsAt(planned, path)) {
      const id = idOf(written);
      if (id !== undefined && !(await existsOne(to, id, context))) {
        found.push({ path: path.split(".").slice(0, 1), ...missing(written) });
      }
    }
  }
  return found;
}

/** Returns whether a resource with this id exists and has one of the types. ARM ids are case-insensitive. */
async function existsOne(types: readonly string[], id: string, context: HookContext): Promise<boolean> {
  for (const type of types) {
    if ((await context.find({ type, id })) !== undefined) return true;
    if ((await context.list(type)).some((record) => record.id.toLowerCase() === id.toLowerCase())) return true;
  }
  return false;
}

function checkLocation({ location }: ValueMap): readonly Refusal[] {
  if (typeof location !== "string" || listRegions("azure").includes(location.toLowerCase().replaceAll(" ", ""))) return [];
  const message = `The provided location '${location}' is not available for resource type.`;
  return [{ code: "LocationNotAvailableForResourceType", message, path: ["location"] }];
}

async function checkGroup(type: string, planned: ValueMap, context: HookContext): Promise<readonly Refusal[]> {
  const name = planned["resource_group_name"];
  if (typeof name !== "string" || type === "azurerm_resource_group") return [];
  const id = `/subscriptions/${subscriptionOf(context)}/resourceGroups/${name}`;
  if (await existsOne(["azurerm_resource_group"], id, context)) return [];
  const message = `Resource group '${name}' could not be found.`;
  return [{ code: "ResourceGroupNotFound", message, status: 404, path: ["resource_group_name"] }];
}

async function findExhausted(
  type: string,
  { operation, planned }: AzureChange,
  { limits = [] }: AzureResource,
  context: HookContext,
): Promise<readonly Refusal[]> {
  if (operation !== "create" || limits.length === 0) return [];
  const all = await context.list(type);
  return limits
    .filter(({ quota, within }) => {
      const peers = all.filter(({ attributes }) => within === "" || attributes[within] === planned[within]);
      return peers.length >= getQuota(quota, context.conditions);
    })
    .map(({ quota, refusal }) => refusal(getQuota(quota, context.conditions)));
}

async function refuseTwin(type: string, id: string, context: HookContext): Promise<readonly Problem[]> {
  if ((await context.find({ type, id })) === undefined) return [];
  const help = `to be managed via Terraform this resource needs to be imported into the State. Please see the resource documentation for "${type}" for more information.`;
  const refusal = { code: "Conflict", message: `The resource '${id}' already exists.`, status: 409 };
  return [{ summary: `a resource with the ID "${id}" already exists - ${help}`, refusal }];
}

function toAzureChange({ operation, id, prior, planned, config }: Change): AzureChange {
  return { operation, id, prior: prior ?? {}, planned: planned ?? {}, config };
}

function same(written: string): string {
  return written;
}

function pick<From extends object, Name extends keyof From>(from: From, names: readonly Name[]): Partial<Pick<From, Name>> {
  const given = names.filter((name) => from[name] !== undefined).map((name) => [name, from[name]] as const);
  return Object.fromEntries(given) as Partial<Pick<From, Name>>;
}
