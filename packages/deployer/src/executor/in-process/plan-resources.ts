import { dropIgnoredChanges, listChangedPaths, type IgnoreRule } from "@cloudwright/terraform";
import type { Json, JsonObject } from "../../task.ts";
import type { AttributePath, PlannedAction, PlannedChange, PlannedDependency } from "../executor-plan.ts";
import { addressOf, listNeeds, type DesiredResource, type ResourceType } from "./blueprint.ts";
import { sortInOrder } from "./in-order.ts";
import { resolveReferences, type ResolvedAttributes } from "./resolve-references.ts";
import { recordedAddress, type RecordedResource, type StateDocument } from "./state-document.ts";

export interface PlanInput {
  readonly desired: readonly DesiredResource[];
  readonly document: StateDocument;
  /** Current attributes of the recorded resources, keyed by address. Resources that no longer exist are absent. */
  readonly live: ReadonlyMap<string, JsonObject>;
  readonly types: ReadonlyMap<string, ResourceType>;
  /** Rules for attributes that the plan must not change. */
  readonly ignore: readonly IgnoreRule[];
}

export interface PlannedResources {
  readonly changes: readonly PlannedChange[];
  readonly dependencies: readonly PlannedDependency[];
  /** The desired resources. Known references are resolved, and ignored attributes keep their current values. */
  readonly desired: readonly DesiredResource[];
}

/** Computes the changes needed to make the current resources match the desired ones. This is a pure function. */
export function planResources({ desired, document, live, types, ignore }: PlanInput): PlannedResources {
  const steps = desired.map((resource) => ({ key: addressOf(resource), after: listNeeds(resource), resource }));
  const recorded = new Map(document.resources.map((each) => [recordedAddress(each), each]));
  // Planned attributes, keyed by address. Undefined if they are known only after the apply.
  const planned = new Map<string, JsonObject | undefined>();
  const changes: PlannedChange[] = [];
  const kept: DesiredResource[] = [];
  for (const { key: address, resource } of sortInOrder(steps)) {
    const type = types.get(resource.type);
    const resolved = resolveReferences(resource.attributes, (needed) => planned.get(needed));
    const before = recorded.has(address) ? live.get(address) : undefined;
    const whole = compare(resource, type, before, resolved);
    const [change] = dropIgnoredChanges([whole], ignore);
    const ignored = whole.changedPaths.filter((path) => change?.changedPaths.includes(path) !== true);
    const attributes = ignored.reduce((to, { path, before: from }) => setAt(to, path, from as Json), resolved.open);
    kept.push({ ...resource, attributes, needs: listNeeds(resource) });
    changes.push(change ?? { ...whole, action: "none", changedPaths: [], replacePaths: [] });
    const isRenewed = change?.action === "create" || change?.action === "replace";
    planned.set(address, isRenewed ? undefined : { ...before, ...resolved.value });
  }
  const wanted = new Set(steps.map(({ key }) => key));
  const surplus = document.resources.filter((each) => !wanted.has(recordedAddress(each)));
  return {
    changes: [...changes, ...surplus.map((each) => planDeletion(each, types, live))],
    dependencies: [
      ...steps.map(({ key, after }) => ({ address: key, needs: after })),
      ...surplus.map((each) => ({ address: recordedAddress(each), needs: each.needs })),
    ],
    desired: kept,
  };
}

/**
 * Lists resources that changed in the cloud since the last apply. Resources with a pending intent are left out, because an interrupted
 * apply may have changed them.
 */
export function findChangesOutside({ document, live, types }: Pick<PlanInput, "document" | "live" | "types">): PlannedChange[] {
  const ownAddresses = new Set(document.intents.map(({ address }) => address));
  return document.resources
    .filter((each) => !ownAddresses.has(recordedAddress(each)))
    .map((each) => {
      const now = live.get(recordedAddress(each));
      const about = describe(each, types.get(each.type), recordedAddress(each));
      const marks = marksOf(types.get(each.type));
      if (now === undefined) return { ...about("delete", each.attributes, null), changedPaths: [] };
      const sides = { before: each.attributes, after: now, unknown: {}, beforeMarks: marks, afterMarks: marks };
      return {
        ...about("update", each.attributes, now),
        changedPaths: listChangedPaths(sides).filter(isCompared(types.get(each.type))),
      };
    })
    .filter(({ action, changedPaths }) => action === "delete" || changedPaths.length > 0);
}

function compare(
  resource: DesiredResource,
  type: ResourceType | undefined,
  before: JsonObject | undefined,
  { value, unknown }: ResolvedAttributes,
): PlannedChange {
  const about = describe(resource, type, addressOf(resource));
  const marks = marksOf(type);
  if (before === undefined) {
    const sides = { before: null, after: value, unknown, beforeMarks: {}, afterMarks: marks };
    return { ...about("create", null, value), changedPaths: listChangedPaths(sides) };
  }
  const compared = Object.fromEntries(Object.keys(value).map((name) => [name, before[name] ?? null]));
  const changedPaths = listChangedPaths({
    before: compared,
    after: value,
    unknown,
    beforeMarks: marks,
    afterMarks: marks,
  }).filter(isCompared(type));
  const replacePaths = changedPaths.map(({ path }) => path).filter(([name]) => type?.immutable.includes(String(name)));
  const action = changedPaths.length === 0 ? "none" : replacePaths.length === 0 ? "update" : "replace";
  return {
    ...about(action, before, { ...before, ...value }),
    changedPaths,
    replacePaths,
    ...(action === "replace" ? { reason: "replace_because_cannot_update" } : {}),
  };
}

function isCompared(type: ResourceType | undefined) {
  return ({ path: [name] }: { readonly path: readonly (string | number)[] }): boolean =>
    type?.onlyForCreation?.includes(String(name)) !== true;
}

function planDeletion(
  resource: RecordedResource,
  types: ReadonlyMap<string, ResourceType>,
  live: ReadonlyMap<string, JsonObject>,
): PlannedChange {
  const address = recordedAddress(resource);
  const type = types.get(resource.type);
  const before = live.get(address) ?? resource.attributes;
  const sides = { before, after: null, unknown: {}, beforeMarks: marksOf(type), afterMarks: {} };
  const change = describe(resource, type, address)("delete", before, null);
  return { ...change, changedPaths: listChangedPaths(sides), reason: "delete_because_no_resource_config" };
}

/** Returns a function that creates changes for a resource. The fields that all of these changes share are already filled in. */
function describe(resource: Pick<DesiredResource, "type" | "name">, type: ResourceType | undefined, address: string) {
  return (action: PlannedAction, before: JsonObject | null, after: JsonObject | null): PlannedChange => ({
    address,
    mode: "managed",
    resourceType: resource.type,
    name: resource.name,
    action,
    replacePaths: [],
    before: mask(before, type),
    after: mask(after, type),
    changedPaths: [],
  });
}

function mask(attributes: JsonObject | null, type: ResourceType | undefined): JsonObject | null {
  if (attributes === null) return null;
  const hidden = Object.keys(attributes).filter((name) => type?.sensitive?.includes(name) && attributes[name] !== null);
  return { ...attributes, ...Object.fromEntries(hidden.map((name) => [name, "(sensitive)"])) };
}

function marksOf(type: ResourceType | undefined): JsonObject {
  return Object.fromEntries((type?.sensitive ?? []).map((name) => [name, true]));
}

/** Returns a copy of `target` with the value at `path` replaced. */
function setAt(target: JsonObject, path: AttributePath, value: Json): JsonObject {
  const set = (inner: Json | undefined, [step, ...rest]: AttributePath): Json => {
    if (step === undefined) return value;
    if (typeof step === "number") return (inner as Json[]).map((each, index) => (index === step ? set(each, rest) : each));
    const object = inner as JsonObject;
    return { ...object, [step]: set(object[step], rest) };
  };
  return set(target, path) as JsonObject;
}
