import { getQuota } from "../cloud/quotas.ts";
import type { CloudRecord } from "../inventory/inventory.ts";
import type { Change, HookContext, Problem, ResourceHooks } from "../provider/definition.ts";
import type { TypeSchema } from "../schema/schema.ts";
import { isList, type Value, type ValueMap } from "../values/value.ts";
import { listBlanks, mergeValues } from "../schema/blank-values.ts";
import { placeOf } from "./place.ts";
import { mapOf, textOf, textsAt } from "../values/read-value.ts";
import { describeRefusal, type Refusal } from "./refusal.ts";
import { makeId, type AwsChange, type AwsResource, type Limit, type Reference } from "./resource.ts";

/** The behaviour of AWS resource types, keyed by type name. */
export type AwsResources = Readonly<Record<string, AwsResource>>;

/** Creates the hooks of a resource type. They combine the behaviour of all AWS resources with that of the type. */
export function createHooks(type: string, resources: AwsResources, { block }: TypeSchema): ResourceHooks {
  const resource = resources[type] as AwsResource;
  const { id, takes, recompute, forceNew = [] } = resource;
  const isTagged = block.attributes["tags_all"] !== undefined;
  const holders = listTies(type, resources, "holds");
  const followers = listTies(type, resources, "follows");
  return {
    ...pick(resource, ["defaults", "computedBlocks", "hidden", "read", "listReplacements"]),
    ...(resource.validate === undefined ? {} : { validate: (config) => resource.validate?.(config) ?? [] }),
    forceNew: [...forceNew, ...(block.attributes["region"] === undefined ? [] : ["region"])],
    recompute: { ...(isTagged ? { tags_all: ["tags"] } : {}), ...recompute },
    takesMs: Object.fromEntries(Object.entries(takes ?? {}).map(([operation, seconds]) => [operation, seconds * 1000])),
    createId: (planned, context) =>
      typeof id === "string" ? makeId(id, context.nowMs) : id(planned, placeOf(context, planned), context),
    async check(change, context) {
      const asked = toAwsChange(change, context);
      // AWS reports only one error per call, so the first failed check is returned.
      for (const look of [
        () => (change.operation === "delete" ? findHeld(change.id, resource, { holders, followers }, context) : []),
        () => (change.operation === "delete" ? [] : findMissing(asked, resource, context)),
        () => resource.check?.(asked, context) ?? [],
        () => findExhausted(type, asked, resource, context),
      ]) {
        const [refusal] = await look();
        if (refusal !== undefined) return [toProblem(resource, asked, refusal, context)];
      }
      return [];
    },
    async compute(change, context) {
      const asked = toAwsChange(change, context);
      const { planned, place } = asked;
      const special = (await resource.compute?.(asked, context)) ?? {};
      const usual = {
        region: place.region,
        owner_id: place.account,
        ...(resource.arn === undefined ? {} : { arn: resource.arn(change.id, { ...planned, ...special }, place) }),
        ...(isTagged ? { tags_all: { ...defaultTags(context), ...mapOf(planned["tags"]) } } : {}),
        ...special,
      };
      return mergeValues(listBlanks(block, planned), usual) as ValueMap;
    },
    ...(resource.sideEffects === undefined
      ? {}
      : {
          listSideEffects: async (change, context) => (await resource.sideEffects?.(toAwsChange(change, context), context)) ?? {},
        }),
    async listFollowers({ id: gone }, context) {
      if (followers.length === 0) return [];
      const all = await context.list();
      return all.filter((record) => followers.some((tie) => tie.from === record.type && isTied(record.attributes, tie, gone)));
    },
  };
}

interface Tie extends Reference {
  readonly from: string;
}

function listTies(type: string, resources: AwsResources, tie: Reference["tie"]): readonly Tie[] {
  return Object.entries(resources).flatMap(([from, { names = [] }]) =>
    names.filter((name) => name.tie === tie && name.to.includes(type)).map((name) => ({ ...name, from })),
  );
}

function isTied(attributes: ValueMap, { path, idOf = same }: Reference, id: string): boolean {
  return textsAt(attributes, path).some((written) => idOf(written) === id);
}

async function findHeld(
  id: string,
  { held, noun }: AwsResource,
  { holders, followers }: { readonly holders: readonly Tie[]; readonly followers: readonly Tie[] },
  context: HookContext,
): Promise<readonly Refusal[]> {
  if (holders.length === 0) return [];
  const all = await context.list();
  // A record that is deleted together with the resource does not hold it, such as a rule of a group that names the group itself.
  const isAmong = (ties: readonly Tie[], { type, attributes }: CloudRecord): boolean =>
    ties.some((tie) => tie.from === type && isTied(attributes, tie, id));
  const holder = all.find((record) => isAmong(holders, record) && !isAmong(followers, record));
  if (holder === undefined) return [];
  const refusal = held?.(id, holder) ?? {
    code: "DependencyViolation",
    message: `The ${noun.toLowerCase()} '${id}' has dependencies and cannot be deleted. (${holder.type} ${holder.id})`,
  };
  return [refusal];
}

async function findMissing(
  { planned }: AwsChange,
  { names = [] }: AwsResource,
  context: HookContext,
): Promise<readonly Refusal[]> {
  const found: Refusal[] = [];
  for (const { path, to, missing, idOf = same } of names) {
    if (missing === undefined) continue;
    for (const written of textsAt(planned, path)) {
      const id = idOf(written);
      if (id !== undefined && !(await existsOne(to, id, context))) {
        found.push({ ...missing(written), path: path.split(".").slice(0, 1) });
      }
    }
  }
  return found;
}

async function existsOne(types: readonly string[], id: string, context: HookContext): Promise<boolean> {
  for (const type of types) if ((await context.find({ type, id })) !== undefined) return true;
  return false;
}

async function findExhausted(
  type: string,
  { operation, planned, place }: AwsChange,
  { limits = [] }: AwsResource,
  context: HookContext,
): Promise<readonly Refusal[]> {
  if (operation !== "create" || limits.length === 0) return [];
  const all = await context.list(type);
  const valueOf = (attributes: ValueMap, within: string): Value | undefined => attributes[within] ?? undefined;
  const isFull = ({ quota, within, counts = () => true }: Limit): boolean => {
    const wanted = within === "region" ? place.region : within === "" ? undefined : valueOf(planned, within);
    const peers = all.filter(({ attributes }) => within === "" || valueOf(attributes, within) === wanted);
    const alike = peers.filter(({ attributes }) => counts(attributes));
    return counts(planned) && alike.length >= getQuota(quota, context.conditions);
  };
  return limits.filter(isFull).map(({ quota, refusal }) => refusal(getQuota(quota, context.conditions)));
}

function toAwsChange({ operation, id, prior, planned, config }: Change, context: HookContext): AwsChange {
  return { operation, id, prior: prior ?? {}, planned: planned ?? {}, config, place: placeOf(context, planned ?? prior) };
}

const verbs = { create: "Create", update: "Modify", delete: "Delete" } as const;

function toProblem(
  resource: AwsResource,
  { operation, id, planned }: AwsChange,
  refusal: Refusal,
  context: HookContext,
): Problem {
  const { service, noun, calls } = resource;
  const call = calls?.[operation] ?? `${verbs[operation]}${noun.replaceAll(" ", "")}`;
  const label = operation === "create" ? textOf(planned["name"] ?? planned["bucket"]) : id;
  return describeRefusal({ service, noun, call, operation, label }, refusal, context.nowMs);
}

function defaultTags({ provider }: HookContext): ValueMap {
  const blocks = provider["default_tags"];
  return mapOf(mapOf(isList(blocks) ? blocks[0] : undefined)["tags"]);
}

function same(written: string): string {
  return written;
}

function pick<From extends object, Name extends keyof From>(from: From, names: readonly Name[]): Partial<Pick<From, Name>> {
  const given = names.filter((name) => from[name] !== undefined).map((name) => [name, from[name]] as const);
  return Object.fromEntries(given) as Partial<Pick<From, Name>>;
}
