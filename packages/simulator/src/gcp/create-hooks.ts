import { getQuota } from "../cloud/quotas.ts";
import { listPathNames, renderPath } from "../cloud/render-path.ts";
import { findRegion } from "../cloud/regions.ts";
import type { Change, HookContext, ResourceHooks } from "../provider/definition.ts";
import { listBlanks, mergeValues } from "../schema/blank-values.ts";
import type { TypeSchema } from "../schema/schema.ts";
import { mapOf, textOf, textsAt } from "../values/read-value.ts";
import type { Value, ValueMap } from "../values/value.ts";
import { known, placeOf } from "./place.ts";
import { describeRefusal, refuseValue, type Refusal } from "./refusal.ts";
import { computeName, type GcpChange, type GcpResource, type GcpResources, type Reference } from "./resource.ts";

/**
 * Creates the hooks of a resource type. They combine the behaviour common to all Google Cloud resources and the behaviour specific to the
 * type.
 */
export function createHooks(type: string, resources: GcpResources, { block }: TypeSchema): ResourceHooks {
  const resource = resources[type] as GcpResource;
  const { path, api = "compute/v1", takes = { create: 2, update: 1, delete: 1 }, recompute, forceNew = [] } = resource;
  const inPath = listPathNames(path).filter((name) => block.attributes[name] !== undefined);
  const isLabelled = block.attributes["effective_labels"] !== undefined;
  const holders = listTies(type, resources, "holds");
  const followers = listTies(type, resources, "follows");
  const isProtectable = block.attributes["deletion_policy"] !== undefined;
  return {
    ...pick(resource, ["computedBlocks", "read", "listReplacements", "isRepeatable"]),
    defaults: { ...(isProtectable ? { deletion_policy: "DELETE" } : {}), ...resource.defaults },
    ...(resource.validate === undefined ? {} : { validate: (config) => resource.validate?.(config) ?? [] }),
    forceNew: [...new Set([...inPath, ...forceNew])],
    recompute: { ...(isLabelled ? { terraform_labels: ["labels"], effective_labels: ["labels"] } : {}), ...recompute },
    takesMs: Object.fromEntries(Object.entries(takes).map(([operation, seconds]) => [operation, seconds * 1000])),
    createId: (planned, context) => renderPath(path, { ...placeOf(context, planned), ...known(planned) }),
    async check(change, context) {
      const asked = toGcpChange(change, context);
      const isDeleted = change.operation === "delete";
      // Google Cloud reports only one error per call, so the first failed check is returned.
      for (const look of [
        () => (isDeleted ? findProtected(asked) : []),
        () => (isDeleted ? findHeld(change.id, resource, holders, context) : []),
        () => (isDeleted ? [] : [...checkName(asked, api), ...checkPlace(asked), ...checkLabels(asked)]),
        () => (isDeleted ? [] : findMissing(asked, resource, context)),
        () => (change.operation === "create" && resource.isRepeatable !== true ? findTwin(type, change.id, context) : []),
        () => resource.check?.(asked, context) ?? [],
        () => findExhausted(type, asked, resource, context),
      ]) {
        const [refusal] = await look();
        if (refusal !== undefined) return [describeRefusal(resource.noun, change.operation, change.id, refusal)];
      }
      return [];
    },
    async compute(change, context) {
      const asked = toGcpChange(change, context);
      const labels = { ...defaultLabels(context), ...mapOf(asked.planned["labels"]) };
      const usual = {
        ...asked.place,
        location: asked.place.region,
        self_link: `https://www.googleapis.com/${api}/${change.id}`,
        creation_timestamp: new Date(context.nowMs).toISOString().replace("Z", "-00:00"),
        label_fingerprint: "42WmSpB8rSM=",
        ...(isLabelled ? { terraform_labels: labels, effective_labels: labels } : {}),
        ...(await resource.compute?.(asked, context)),
      };
      return mergeValues(listBlanks(block, asked.planned), usual) as ValueMap;
    },
    ...(resource.sideEffects === undefined
      ? {}
      : {
          listSideEffects: async (change, context) => (await resource.sideEffects?.(toGcpChange(change, context), context)) ?? {},
        }),
    async listFollowers({ id }, context) {
      if (followers.length === 0) return [];
      const all = await context.list();
      return all.filter((record) =>
        followers.some((tie) => tie.from === record.type && isTied(record.attributes, tie, id, context)),
      );
    },
  };
}

interface Tie extends Reference {
  readonly from: string;
}

function listTies(type: string, resources: GcpResources, tie: Reference["tie"]): readonly Tie[] {
  return Object.entries(resources).flatMap(([from, { names = [] }]) =>
    names.filter((name) => name.tie === tie && name.to.includes(type)).map((name) => ({ ...name, from })),
  );
}

function isTied(attributes: ValueMap, { path, idOf = same }: Reference, id: string, context: HookContext): boolean {
  const place = placeOf(context, attributes);
  return textsAt(attributes, path).some((written) => idOf(written, place) === id);
}

function findProtected({ id, prior }: GcpChange): readonly Refusal[] {
  if (prior["deletion_policy"] !== "PREVENT") return [];
  return [{ code: "deletionPolicy", message: `cannot destroy ${id} without setting deletion_policy="DELETE" and applying it` }];
}

async function findHeld(
  id: string,
  { held, noun }: GcpResource,
  holders: readonly Tie[],
  context: HookContext,
): Promise<readonly Refusal[]> {
  if (holders.length === 0) return [];
  const all = await context.list();
  const holder = all.find((record) =>
    holders.some((tie) => tie.from === record.type && isTied(record.attributes, tie, id, context)),
  );
  if (holder === undefined) return [];
  const message = `The ${noun.toLowerCase()} resource '${id}' is already being used by '${holder.id}'`;
  return [held?.(id, holder) ?? { code: "resourceInUseByAnotherResource", message }];
}

async function findMissing(
  { planned, place }: GcpChange,
  { names = [] }: GcpResource,
  context: HookContext,
): Promise<readonly Refusal[]> {
  const found: Refusal[] = [];
  for (const { path, to, missing, idOf = same } of names) {
    if (missing === undefined) continue;
    for (const written of textsAt(planned, path)) {
      const id = idOf(written, place);
      if (id !== undefined && !(await existsOne(to, id, context))) {
        found.push({ ...missing(id), path: path.split(".").slice(0, 1) });
      }
    }
  }
  return found;
}

async function existsOne(types: readonly string[], id: string, context: HookContext): Promise<boolean> {
  for (const type of types) if ((await context.find({ type, id })) !== undefined) return true;
  return false;
}

async function findTwin(type: string, id: string, context: HookContext): Promise<readonly Refusal[]> {
  if ((await context.find({ type, id })) === undefined) return [];
  return [{ code: "alreadyExists", message: `The resource '${id}' already exists`, status: 409 }];
}

function checkName({ operation, planned }: GcpChange, api: string): readonly Refusal[] {
  const { name } = planned;
  if (operation !== "create" || api !== "compute/v1" || typeof name !== "string") return [];
  return new RegExp(`^${computeName}$`).test(name) ? [] : [refuseValue("resource.name", name, computeName, ["name"])];
}

function checkPlace({ planned, place }: GcpChange): readonly Refusal[] {
  for (const [name, isKnown] of [
    ["region", findRegion("gcp", place.region) !== undefined],
    ["zone", findRegion("gcp", place.region)?.zones.includes(place.zone) === true],
  ] as const) {
    if (typeof planned[name] !== "string" || planned[name] === "" || isKnown) continue;
    const message = `Invalid value for field '${name}': '${place[name]}'. Unknown ${name}.`;
    return [{ code: "invalid", message, path: [name] }];
  }
  return [];
}

function checkLabels({ planned }: GcpChange): readonly Refusal[] {
  const labels = Object.entries(mapOf(planned["labels"]));
  const wrong = labels.find(
    ([key, value]) =>
      !/^[\p{Ll}\p{Lo}][\p{Ll}\p{Lo}\p{N}_-]{0,62}$/u.test(key) || !/^[\p{Ll}\p{Lo}\p{N}_-]{0,63}$/u.test(textOf(value)),
  );
  if (wrong !== undefined) {
    const message = `Label value or key violates format constraints: '${wrong[0]}' = '${textOf(wrong[1])}'. Only lowercase letters, digits, underscores and dashes are allowed.`;
    return [{ code: "invalid", message, path: ["labels"] }];
  }
  if (labels.length <= 64) return [];
  return [{ code: "invalid", message: `Too many labels: ${labels.length}. The limit is 64.`, path: ["labels"] }];
}

async function findExhausted(
  type: string,
  { operation, planned, place }: GcpChange,
  { limits = [] }: GcpResource,
  context: HookContext,
): Promise<readonly Refusal[]> {
  if (operation !== "create" || limits.length === 0) return [];
  const all = await context.list(type);
  const valueOf = (attributes: ValueMap, within: string): Value | undefined =>
    within === "region" ? placeOf(context, attributes).region : attributes[within];
  return limits
    .filter(({ quota, within, counts = () => true }) => {
      const peers = all.filter(({ attributes }) => within === "" || valueOf(attributes, within) === valueOf(planned, within));
      const alike = peers.filter(({ attributes }) => counts(attributes));
      return counts(planned) && alike.length >= getQuota(quota, context.conditions);
    })
    .map(({ quota, refusal }) => refusal(getQuota(quota, context.conditions), place));
}

function toGcpChange({ operation, id, prior, planned, config }: Change, context: HookContext): GcpChange {
  return { operation, id, prior: prior ?? {}, planned: planned ?? {}, config, place: placeOf(context, planned ?? prior ?? {}) };
}

/** Returns the labels that the provider adds to every resource. */
function defaultLabels({ provider }: HookContext): ValueMap {
  const isMarked = provider["add_terraform_attribution_label"] !== false;
  return { ...mapOf(provider["default_labels"]), ...(isMarked ? { "goog-terraform-provisioned": "true" } : {}) };
}

function same(written: string): string {
  return written;
}

function pick<From extends object, Name extends keyof From>(from: From, names: readonly Name[]): Partial<Pick<From, Name>> {
  const given = names.filter((name) => from[name] !== undefined).map((name) => [name, from[name]] as const);
  return Object.fromEntries(given) as Partial<Pick<From, Name>>;
}
