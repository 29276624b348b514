import { isObject, type ReadonlyJson } from "@cloudwright/platform";
import { checkTemplate } from "./check-template.ts";
import { joinPath, type Placed } from "./json-blocks.ts";
import type { AllowedInOverrides, OverrideProblem } from "./override-problem.ts";

const refusedKeys: Readonly<Record<string, string>> = {
  provisioner: "provisioners run programs on the agent; remove the block, and prepare machines by their user data",
  connection: "connections are for provisioners, which are refused; remove the block",
  _: "blocks that escape Terraform's own words are refused; write the argument directly",
};

/** Everything that is refused in a value, at any depth. Keys are templates too. */
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

/** Refuses the words by which a block runs programs. */
export function checkKey(key: string, path: string): readonly OverrideProblem[] {
  const message = Object.hasOwn(refusedKeys, key) ? refusedKeys[key] : undefined;
  return message === undefined ? [] : [{ path, message }];
}

/** Refuses what the platform keeps for itself. */
export function checkReserved(key: string, path: string, { reserved = [] }: AllowedInOverrides): readonly OverrideProblem[] {
  return reserved.includes(key) ? [{ path, message: `${key} is set by the platform alone; say it in the entity's spec` }] : [];
}

/** Whether a text can be the name of a resource, a local or a provider. */
export function isName(text: string): boolean {
  return /^[\p{ID_Start}_][\p{ID_Continue}-]*$/u.test(text);
}
