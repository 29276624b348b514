import { isObject, type ReadonlyJson, type ReadonlyJsonObject } from "@cloudwright/platform";

/** A value in a JSON configuration with its path. */
export interface Placed {
  readonly path: string;
  readonly value: ReadonlyJson;
}

/** Key of a comment in a JSON block. */
export const commentKey = "//";

/** Returns the elements of a list, or a single value as a list. Terraform's JSON syntax allows both for blocks and labels. */
export function listPlaced({ path, value }: Placed): Placed[] {
  if (value === null || value === undefined) return [];
  if (!Array.isArray(value)) return [{ path, value }];
  return (value as ReadonlyJson[]).map((inner, index) => ({ path: `${path}[${index}]`, value: inner }));
}

export function listMembers(object: ReadonlyJsonObject, path: string): (Placed & { readonly key: string })[] {
  return Object.entries(object).map(([key, value]) => ({ key, value, path: joinPath(path, key) }));
}

/** Returns the blocks of a type such as `resource` that have a type label and a name label. Skips everything else. */
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

export function joinPath(path: string, key: string): string {
  if (!/^[\p{ID_Start}_][\p{ID_Continue}-]*$/u.test(key)) return `${path}[${JSON.stringify(key.slice(0, 100))}]`;
  return path === "" ? key : `${path}.${key}`;
}

function membersOf({ path, value }: Placed): (Placed & { readonly key: string })[] {
  return isObject(value) ? listMembers(value, path) : [];
}
