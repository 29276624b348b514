import type { JsonObject } from "@cloudwright/contract";
import { isEqual, isObject, textAt } from "../entities/json-tree.ts";

/** A drifted resource and the external changes to it that a plan would undo. `*` stands for the whole resource. */
export interface Overwritten {
  readonly address: string;
  readonly paths: readonly string[];
}

/**
 * Compares the drift that a plan found with the changes it would make. Returns the drifted resources whose external changes the plan would
 * undo. `unfinished` lists the planned changes of interrupted applies. A value that such an apply was supposed to set is not an external
 * change. A change to an attribute whose planned value is known only after the apply also counts as undone. The exception is a value that
 * the cloud computes because the configuration does not set it.
 */
export function findOverwritten(
  drift: readonly JsonObject[],
  changes: readonly JsonObject[],
  unfinished: readonly JsonObject[] = [],
): Overwritten[] {
  return drift.flatMap((found) => {
    const address = textAt(found, "address");
    const planned = changes.find((change) => change["address"] === address);
    const own = unfinished.filter((change) => change["address"] === address);
    const paths = planned === undefined ? [] : listUndone(found, planned, own);
    return paths.length === 0 ? [] : [{ address, paths }];
  });
}

/**
 * Returns the paths of a drifted resource's attributes whose external changes a plan would keep. `undone` contains the attribute paths
 * whose changes the plan would undo. Values that an interrupted apply was meant to set do not count as external changes.
 */
export function listKeptPaths(
  found: JsonObject,
  changes: readonly JsonObject[],
  unfinished: readonly JsonObject[],
  undone: readonly string[],
): string[] {
  const address = textAt(found, "address");
  const planned = changes.find((change) => change["address"] === address)?.["action"];
  if (found["action"] === "delete" || planned === "delete" || planned === "replace") return [];
  const own = unfinished.filter((change) => change["address"] === address);
  return attributesOf(found)
    .filter((attribute) => !own.some((change) => hasWanted(change, attribute)))
    .map((attribute) => textAt(attribute, "path"))
    .filter((path) => path !== "" && !undone.some((other) => isOverlapping(path, other)));
}

/** Returns whether two paths are equal or one contains the other. */
export function isOverlapping(a: string, b: string): boolean {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  return long.startsWith(short) && (long.length === short.length || [".", "["].includes(long.charAt(short.length)));
}

function listUndone(found: JsonObject, planned: JsonObject, own: readonly JsonObject[]): string[] {
  const action = planned["action"];
  if (found["action"] === "delete") {
    const wasOurs = own.some((change) => change["action"] === "replace" || change["action"] === "delete");
    return (action === "create" || action === "replace") && !wasOurs ? ["*"] : [];
  }
  if (action !== "update" && action !== "replace") return [];
  const drifted = attributesOf(found).filter((attribute) => !own.some((change) => hasWanted(change, attribute)));
  const touched = attributesOf(planned).filter(({ computed }) => computed !== true);
  const undone =
    action === "replace"
      ? drifted
      : drifted.filter((each) => touched.some((other) => isOverlapping(textAt(each, "path"), textAt(other, "path"))));
  return undone.map((each) => textAt(each, "path"));
}

/** Returns whether an interrupted apply was supposed to set the value that the attribute has now. */
function hasWanted(change: JsonObject, { path, after }: JsonObject): boolean {
  return attributesOf(change).some(
    (wanted) =>
      wanted["path"] === path && (wanted["sensitive"] === true || wanted["unknown"] === true || isEqual(wanted["after"], after)),
  );
}

function attributesOf({ attributes }: JsonObject): JsonObject[] {
  return Array.isArray(attributes) ? attributes.filter((each): each is JsonObject => isObject(each)) : [];
}
