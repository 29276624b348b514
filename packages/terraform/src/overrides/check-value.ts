import { isObject, type ReadonlyJson } from "@cloudwright/platform";
import { checkTemplate } from "./check-template.ts";
import { joinPath, type Placed } from "./json-blocks.ts";
import type { OverrideProblem } from "./override-problem.ts";

const refusedKeys: Readonly<Record<string, string>> = {
  provisioner: "provisioners run programs on the agent's machine; remove the block, and configure machines with user data",
  connection: "connections are for provisioners, which are not allowed; remove the block",
  _: "escaped blocks are not allowed; write the argument directly",
};

/** Returns the problems in a value at any depth. Keys can contain templates too. */
export function checkValue({ path, value }: Placed): readonly OverrideProblem[] {
  if (typeof value === "string") return checkTemplate(value).map((message) => ({ path, message }));
  if (Array.isArray(value)) {
    return (value as ReadonlyJson[]).flatMap((inner, index) => checkValue({ path: `${path}[${index}]`, value: inner }));
  }
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const place = joinPath(path, key);
    return [
      ...checkKey(key, place),
      ...checkTemplate(key).map((message) => ({ path: place, message })),
      ...checkValue({ path: place, value: inner }),
    ];
  });
}

/** Rejects keys that make a block run programs. */
export function checkKey(key: string, path: string): readonly OverrideProblem[] {
  const message = Object.hasOwn(refusedKeys, key) ? refusedKeys[key] : undefined;
  return message === undefined ? [] : [{ path, message }];
}

/** Returns whether a string is a valid name for a resource, local or provider. */
export function isName(text: string): boolean {
  return /^[\p{ID_Start}_][\p{ID_Continue}-]*$/u.test(text);
}
