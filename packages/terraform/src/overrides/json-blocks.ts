import { isObject, type ReadonlyJson, type ReadonlyJsonObject } from "@cloudwright/platform";

/** One value of a JSON configuration, and its path. */
export interface Placed {
  readonly path: string;
  readonly value: ReadonlyJson;
}

/** A key that is a comment among the arguments of a block. */
export const commentKey = "//";

/** Returns one item per element for what may be written once or as a list: blocks, and each level of their labels. */
export function listPlaced({ path, value }: Placed): Placed[] {
  if (value === null || value === undefined) return [];
  if (!Array.isArray(value)) return [{ path, value }];
  return (value as ReadonlyJson[]).map((inner, index) => ({ path: `${path}[${index}]`, value: inner }));
}

/** Returns the members of an object with their keys. */
export function listMembers(object: ReadonlyJsonObject, path: string): (Placed & { readonly key: string })[] {
  return Object.entries(object).map(([key, value]) => ({ key, value, path: joinPath(path, key) }));
}

/** Returns the blocks below a keyword such as `resource` that have a type and a name. Skips everything else. */
export function listLabelled(
  configuration: ReadonlyJsonObject,
  word: string,
): (Placed & { readonly type: string; readonly name: string })[] {
  const types = listPlaced({ path: word, value: configuration[word] ?? null }).flatMap(membersOf);
  return types.flatMap((ofType) =>
    listPlaced(ofType)
      .flatMap(membersOf)
      .flatMap((named) => listPlaced(named).map((block) => ({ ...block, type: ofType.key, name: named.key }))),
  );
}

/** Appends a key to a path. */
export function joinPath(path: string, key: string): string {
  if (!/^[\p{ID_Start}_][\p{ID_Continue}-]*$/u.test(key)) return `${path}[${JSON.stringify(key.slice(0, 100))}]`;
  return path === "" ? key : `${path}.${key}`;
}

function membersOf({ path, value }: Placed): (Placed & { readonly key: string })[] {
  return isObject(value) ? listMembers(value, path) : [];
}
