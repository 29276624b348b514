import { StatusError } from "../api/status-error.ts";
import { isSame } from "../cluster/kube-object.ts";

interface Operation {
  readonly op: string;
  readonly path: string;
  readonly from?: string;
  readonly value?: unknown;
}

/** Applies a JSON patch (RFC 6902) and returns the new value. */
export function applyJsonPatch(value: unknown, patch: unknown): unknown {
  if (!Array.isArray(patch)) throw unprocessable("a JSON patch must be a list of operations");
  let document: unknown = structuredClone(value);
  for (const operation of patch as Operation[]) document = applyOne(document, operation);
  return document;
}

function applyOne(document: unknown, { op, path, from, value }: Operation): unknown {
  switch (op) {
    case "add":
      return add(document, path, value);
    case "remove":
      return remove(document, path).document;
    case "replace":
      find(document, path);
      return path === "" ? value : add(remove(document, path).document, path, value);
    case "move": {
      const taken = remove(document, from ?? "");
      return add(taken.document, path, taken.value);
    }
    case "copy":
      return add(document, path, structuredClone(find(document, from ?? "")));
    case "test":
      if (!isSame(find(document, path), value)) throw unprocessable(`testing value ${path} failed`);
      return document;
    default:
      throw unprocessable(`Unexpected kind: ${op}`);
  }
}

function find(document: unknown, path: string): unknown {
  let at = document;
  for (const key of keysOf(path)) {
    const next = Array.isArray(at) ? at[indexIn(key, path, at.length - 1)] : (at as Record<string, unknown> | null)?.[key];
    if (next === undefined) throw missing(path);
    at = next;
  }
  return at;
}

function add(document: unknown, path: string, value: unknown): unknown {
  const keys = keysOf(path);
  const last = keys.pop();
  if (last === undefined) return value;
  const parent = find(document, pathOf(keys));
  if (Array.isArray(parent)) parent.splice(last === "-" ? parent.length : indexIn(last, path, parent.length), 0, value);
  else if (typeof parent === "object" && parent !== null) (parent as Record<string, unknown>)[last] = value;
  else throw missing(path);
  return document;
}

function remove(document: unknown, path: string): { document: unknown; value: unknown } {
  const value = find(document, path);
  const keys = keysOf(path);
  const last = keys.pop();
  if (last === undefined) return { document: undefined, value };
  const parent = find(document, pathOf(keys));
  if (Array.isArray(parent)) parent.splice(Number(last), 1);
  else delete (parent as Record<string, unknown>)[last];
  return { document, value };
}

function indexIn(key: string, path: string, largest: number): number {
  const index = /^(0|[1-9]\d*)$/.test(key) ? Number(key) : -1;
  if (index < 0 || index > largest) throw missing(path);
  return index;
}

function keysOf(path: string): string[] {
  if (path === "") return [];
  if (!path.startsWith("/")) throw missing(path);
  return path
    .slice(1)
    .split("/")
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function pathOf(keys: readonly string[]): string {
  return keys.map((key) => `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

function missing(path: string): StatusError {
  return unprocessable(`the path ${JSON.stringify(path)} does not exist`);
}

function unprocessable(message: string): StatusError {
  return new StatusError(422, "Invalid", `the server rejected our request due to an error in our request: ${message}`, {});
}
