import { largestBytes, tooLarge } from "../api/object-size.ts";
import { StatusError } from "../api/status-error.ts";
import { isSame } from "../cluster/kube-object.ts";
import { findField, isReservedName, reservedField, setField } from "../cluster/own-fields.ts";

interface Operation {
  readonly op: string;
  readonly path: string;
  readonly from?: string;
  readonly value?: unknown;
}

/** Applies a JSON patch (RFC 6902) and returns the new value. */
export function applyJsonPatch(value: unknown, patch: unknown): unknown {
  if (!Array.isArray(patch)) throw unprocessable("a JSON patch must be a list of operations");
  if (patch.length > mostOperations)
    throw tooLarge(`The allowed maximum operations in a JSON patch is ${mostOperations}, got ${patch.length}`);
  const work: Work = { copiedBytes: 0, movedItems: 0 };
  let document: unknown = structuredClone(value);
  for (const operation of patch as Operation[]) document = applyOne(document, operation, work);
  return document;
}

// The limits on operations and copied bytes match those of Kubernetes.
const mostOperations = 10_000;
const mostMovedItems = 10_000_000;

/** Work done so far while applying a patch. */
interface Work {
  /** Size of the values that `copy` has duplicated. A chain of copies doubles the document with each operation. */
  copiedBytes: number;
  /** Number of list items that were moved to make room for others or to close a gap. */
  movedItems: number;
}

function applyOne(document: unknown, operation: Operation | null, work: Work): unknown {
  const { op, path, from, value } = operation ?? ({} as Partial<Operation>);
  switch (op) {
    case "add":
      return add(document, path, value, work);
    case "remove":
      return remove(document, path, work).document;
    case "replace":
      find(document, path);
      return path === "" ? value : add(remove(document, path, work).document, path, value, work);
    case "move": {
      const taken = remove(document, from, work);
      return add(taken.document, path, taken.value, work);
    }
    case "copy":
      return add(document, path, copy(find(document, from), work), work);
    case "test":
      if (!isSame(find(document, path), value)) throw unprocessable(`testing value ${path} failed`);
      return document;
    default:
      throw unprocessable(`Unexpected kind: ${op}`);
  }
}

function copy(value: unknown, work: Work): unknown {
  const text = JSON.stringify(value);
  work.copiedBytes += text.length;
  if (work.copiedBytes > largestBytes)
    throw tooLarge(`The copy operations of a JSON patch may duplicate at most ${largestBytes} bytes`);
  return JSON.parse(text);
}

function splice(list: unknown[], index: number, work: Work, count: number, ...items: unknown[]): void {
  work.movedItems += list.length - index;
  if (work.movedItems > mostMovedItems) throw tooLarge("The JSON patch moves too many list items");
  list.splice(index, count, ...items);
}

function find(document: unknown, path: string | undefined): unknown {
  let at = document;
  for (const key of keysOf(path)) {
    const next = Array.isArray(at)
      ? at[indexIn(key, path, at.length - 1)]
      : findField(at as Record<string, unknown> | null | undefined, key);
    if (next === undefined) throw missing(path);
    at = next;
  }
  return at;
}

function add(document: unknown, path: string | undefined, value: unknown, work: Work): unknown {
  const keys = keysOf(path);
  const last = keys.pop();
  if (last === undefined) return value;
  const parent = find(document, pathOf(keys));
  if (Array.isArray(parent)) splice(parent, last === "-" ? parent.length : indexIn(last, path, parent.length), work, 0, value);
  else if (typeof parent === "object" && parent !== null) setField(parent, last, value);
  else throw missing(path);
  return document;
}

function remove(document: unknown, path: string | undefined, work: Work): { document: unknown; value: unknown } {
  const value = find(document, path);
  const keys = keysOf(path);
  const last = keys.pop();
  if (last === undefined) return { document: undefined, value };
  const parent = find(document, pathOf(keys));
  if (Array.isArray(parent)) splice(parent, Number(last), work, 1);
  else delete (parent as Record<string, unknown>)[last];
  return { document, value };
}

function indexIn(key: string, path: string | undefined, largest: number): number {
  const index = /^(0|[1-9]\d*)$/.test(key) ? Number(key) : -1;
  if (index < 0 || index > largest) throw missing(path);
  return index;
}

function keysOf(path: string | undefined): string[] {
  if (typeof path !== "string") throw unprocessable("an operation has no path");
  if (path === "") return [];
  if (!path.startsWith("/")) throw missing(path);
  const keys = path
    .slice(1)
    .split("/")
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
  if (keys.some(isReservedName)) throw reservedField();
  return keys;
}

function pathOf(keys: readonly string[]): string {
  return keys.map((key) => `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

function missing(path: string | undefined): StatusError {
  return unprocessable(`the path ${JSON.stringify(path)} does not exist`);
}

function unprocessable(message: string): StatusError {
  return new StatusError(422, "Invalid", `the server rejected our request due to an error in our request: ${message}`, {});
}
