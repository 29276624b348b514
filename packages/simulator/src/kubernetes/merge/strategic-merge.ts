import { isObject } from "@cloudwright/platform";
import { badRequest } from "../api/status-error.ts";
import { isSame } from "../cluster/kube-object.ts";
import { fieldOf, type Schema, type Schemas } from "../schema/schema.ts";

type Fields = Record<string, unknown>;

const orderMark = "$setElementOrder/";
const deleteMark = "$deleteFromPrimitiveList/";

/** Applies a Kubernetes strategic merge patch. Lists with a merge key are merged item by item. */
export function applyStrategicPatch(schemas: Schemas, schema: Schema, value: Fields, patch: Fields): Fields {
  if (patch["$patch"] === "replace") return without(patch, "$patch");
  if (patch["$patch"] === "delete") return {};
  const out: Fields = { ...value };
  const retained = patch["$retainKeys"];
  if (Array.isArray(retained)) for (const key of Object.keys(out)) if (!retained.includes(key)) delete out[key];
  for (const [key, change] of Object.entries(patch)) {
    if (key === "$patch" || key === "$retainKeys" || key.startsWith(orderMark)) continue;
    if (key.startsWith(deleteMark)) {
      const name = key.slice(deleteMark.length);
      const gone = change as unknown[];
      if (Array.isArray(out[name])) out[name] = (out[name] as unknown[]).filter((item) => !gone.some((one) => isSame(one, item)));
      continue;
    }
    const field = fieldOf(schemas, schema, key);
    if (change === null) delete out[key];
    else if (Array.isArray(change)) out[key] = mergeList(schemas, field, key, out[key], change);
    else if (isFields(change))
      out[key] = applyStrategicPatch(schemas, schemas.resolve(field) ?? {}, isFields(out[key]) ? out[key] : {}, change);
    else out[key] = change;
  }
  for (const key of Object.keys(patch).filter((name) => name.startsWith(orderMark))) {
    const name = key.slice(orderMark.length);
    if (Array.isArray(out[name])) out[name] = inOrder(fieldOf(schemas, schema, name), out[name], patch[key] as unknown[]);
  }
  return out;
}

function mergeList(
  schemas: Schemas,
  field: Schema | undefined,
  name: string,
  value: unknown,
  change: readonly unknown[],
): unknown[] {
  const current = Array.isArray(value) ? (value as unknown[]) : [];
  const strategy = field?.["x-kubernetes-patch-strategy"] ?? "";
  const replaces = change.some((item) => isFields(item) && item["$patch"] === "replace" && Object.keys(item).length === 1);
  const items = change.filter((item) => !(isFields(item) && item["$patch"] === "replace"));
  if (!strategy.includes("merge") || replaces) return [...items];
  const key = field?.["x-kubernetes-patch-merge-key"];
  if (key === undefined) return [...current, ...items.filter((item) => !current.some((one) => isSame(one, item)))];
  const itemSchema = schemas.resolve(field?.items) ?? {};
  let merged = [...current];
  for (const item of items) {
    if (!isFields(item) || item[key] === undefined) throw badRequest(`${name}: an item of the patch has no merge key ${key}`);
    const at = merged.findIndex((one) => isFields(one) && one[key] === item[key]);
    if (item["$patch"] === "delete") merged = merged.filter((one) => !(isFields(one) && one[key] === item[key]));
    else if (at < 0) merged.push(applyStrategicPatch(schemas, itemSchema, {}, item));
    else merged[at] = applyStrategicPatch(schemas, itemSchema, merged[at] as Fields, item);
  }
  return merged;
}

// The patch defines the order of its own items. Other items keep their position relative to their neighbours.
function inOrder(field: Schema | undefined, list: unknown[], order: readonly unknown[]): unknown[] {
  const key = field?.["x-kubernetes-patch-merge-key"];
  const identity = (item: unknown): string => JSON.stringify(key !== undefined && isFields(item) ? item[key] : item);
  const wanted = new Map(order.map((item, index) => [identity(item), index]));
  const known = list.filter((item) => wanted.has(identity(item)));
  known.sort((left, right) => (wanted.get(identity(left)) ?? 0) - (wanted.get(identity(right)) ?? 0));
  return list.map((item) => (wanted.has(identity(item)) ? known.shift() : item));
}

function isFields(value: unknown): value is Fields {
  return isObject(value);
}

function without(fields: Fields, key: string): Fields {
  const { [key]: _, ...rest } = fields;
  return rest;
}
