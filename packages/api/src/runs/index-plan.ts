import type { JsonObject } from "@cloudwright/contract";
import { renderCanonicalJson } from "@cloudwright/tasks";
import { isObject, textAt } from "../entities/json-tree.ts";
import { indexPaths, type PathIndex } from "./index-paths.ts";
import type { Work } from "./work.ts";

/** What a plan and the interrupted applies before it do to one resource. */
export interface PlannedResource {
  /** Planned action. Undefined if the plan does not change the resource. */
  readonly action: string | undefined;
  /** Attributes that the plan changes, except values that the cloud computes. */
  readonly touched: PathIndex;
  /** True if an interrupted apply was supposed to delete or replace the resource. */
  readonly wasRemoved: boolean;
  /** Returns whether an interrupted apply was supposed to set the value that the attribute has now. */
  hasWanted(attribute: JsonObject): boolean;
}

/** The changes of a plan and of the interrupted applies before it, by resource address. */
export interface PlanIndex {
  readonly work: Work;
  get(address: string): PlannedResource;
}

/** Indexes a plan. `unfinished` lists the planned changes of interrupted applies. */
export function indexPlan(changes: readonly JsonObject[], unfinished: readonly JsonObject[], work: Work): PlanIndex {
  const planned = groupByAddress(changes);
  const interrupted = groupByAddress(unfinished);
  work.add(changes.length + unfinished.length);
  const known = new Map<string, PlannedResource>();
  return {
    work,
    get(address) {
      const found = known.get(address) ?? readResource(planned.get(address)?.[0], interrupted.get(address) ?? [], work);
      known.set(address, found);
      return found;
    },
  };
}

export function attributesOf({ attributes }: JsonObject): JsonObject[] {
  return Array.isArray(attributes) ? attributes.filter((each): each is JsonObject => isObject(each)) : [];
}

function groupByAddress(changes: readonly JsonObject[]): Map<unknown, JsonObject[]> {
  return Map.groupBy(changes, (change) => change["address"]);
}

function readResource(planned: JsonObject | undefined, own: readonly JsonObject[], work: Work): PlannedResource {
  const touched = attributesOf(planned ?? {}).filter(({ computed }) => computed !== true);
  return {
    action: planned === undefined ? undefined : textAt(planned, "action"),
    touched: indexPaths(
      touched.map((each) => textAt(each, "path")),
      work,
    ),
    wasRemoved: own.some(({ action }) => action === "replace" || action === "delete"),
    hasWanted: indexWanted(own, work),
  };
}

/** An entry that stands for several attributes has no values, so it never shows that an apply was supposed to set them. */
function indexWanted(own: readonly JsonObject[], work: Work): PlannedResource["hasWanted"] {
  const wanted = own.flatMap(attributesOf).filter(({ members }) => members === undefined);
  const hidden = new Set(
    wanted.filter(({ sensitive, unknown }) => sensitive === true || unknown === true).map(({ path }) => path),
  );
  const values = new Set(wanted.map(renderPair));
  work.add(wanted.length);
  return (attribute) => {
    work.add(1);
    if (attribute["members"] !== undefined || wanted.length === 0) return false;
    return hidden.has(attribute["path"]) || values.has(renderPair(attribute));
  };
}

function renderPair({ path, after }: JsonObject): string {
  return renderCanonicalJson({ path, after });
}
