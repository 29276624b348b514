import { isObject, listOf } from "@cloudwright/platform";
import { badRequest } from "../api/status-error.ts";
import { canonical } from "../cluster/kube-object.ts";
import { findField, setField } from "../cluster/own-fields.ts";
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
  if (Array.isArray(retained)) {
    const names = new Set<unknown>(retained);
    for (const key of Object.keys(out)) if (!names.has(key)) delete out[key];
  }
  for (const [key, change] of Object.entries(patch)) {
    if (key === "$patch" || key === "$retainKeys" || key.startsWith(orderMark)) continue;
    if (key.startsWith(deleteMark)) {
      const name = key.slice(deleteMark.length);
      const gone = new Set(listOf(change).map(canonical));
      const list = findField(out, name);
      if (Array.isArray(list))
        setField(
          out,
          name,
          list.filter((item) => !gone.has(canonical(item))),
        );
      continue;
    }
    const field = fieldOf(schemas, schema, key);
    if (change === null) delete out[key];
    else if (Array.isArray(change)) setField(out, key, mergeList(schemas, field, key, findField(out, key), change));
    else if (isFields(change)) {
      const current = findField(out, key);
      setField(out, key, applyStrategicPatch(schemas, schemas.resolve(field) ?? {}, isFields(current) ? current : {}, change));
    } else setField(out, key, change);
  }
  for (const key of Object.keys(patch).filter((name) => name.startsWith(orderMark))) {
    const name = key.slice(orderMark.length);
    const list = findField(out, name);
    if (Array.isArray(list)) setField(out, name, inOrder(fieldOf(schemas, schema, name), list, patch[key] as unknown[]));
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
  if (key === undefined) {
    const known = new Set(current.map(canonical));
    return [...current, ...items.filter((item) => !known.has(canonical(item)))];
  }
  const itemSchema = schemas.resolve(field?.items) ?? {};
  const merged = [...current];
  const places = new Map<unknown, number[]>();
  current.forEach((one, index) => {
    if (isFields(one)) places.set(one[key], [...(places.get(one[key]) ?? []), index]);
  });
  for (const item of items) {
    if (!isFields(item) || item[key] === undefined) throw badRequest(`${name}: an item of the patch has no merge key ${key}`);
    const known = places.get(item[key]);
    const first = known?.[0];
    if (item["$patch"] === "delete") {
      for (const index of known ?? []) merged[index] = deleted;
      places.delete(item[key]);
    } else if (first === undefined) {
      places.set(item[key], [merged.push(applyStrategicPatch(schemas, itemSchema, {}, item)) - 1]);
    } else merged[first] = applyStrategicPatch(schemas, itemSchema, merged[first] as Fields, item);
  }
  return merged.filter((item) => item !== deleted);
}

const deleted = Symbol("deleted item");

// The patch defines the order of its own items. Other items keep their position relative to their neighbours.
function inOrder(field: Schema | undefined, list: unknown[], order: readonly unknown[]): unknown[] {
  const key = field?.["x-kubernetes-patch-merge-key"];
  const identity = (item: unknown): string => JSON.stringify(key !== undefined && isFields(item) ? item[key] : item);
  const wanted = new Map(order.map((item, index) => [identity(item), index]));
  const known = list.filter((item) => wanted.has(identity(item)));
  known.sort((left, right) => (wanted.get(identity(left)) ?? 0) - (wanted.get(identity(right)) ?? 0));
  let taken = 0;
  return list.map((item) => (wanted.has(identity(item)) ? known[taken++] : item));
}

function isFields(value: unknown): value is Fields {
  return isObject(value);
}

function without(fields: Fields, key: string): Fields {
  const { [key]: _, ...rest } = fields;
  return rest;
}
