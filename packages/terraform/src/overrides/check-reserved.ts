import { isObject, type ReadonlyJson } from "@cloudwright/platform";
import { listMembers, type Placed } from "./json-blocks.ts";
import type { AllowedInOverrides, OverrideProblem } from "./override-problem.ts";

/** Matches maps with user-defined keys. These keys are not Terraform arguments. */
const freeMaps = /(^|_)(labels|tags|annotations|metadata|variables|parameters)$/;

/** Checks an argument or local and everything inside it. Returns a problem for each name that overrides must not set. */
export function checkReserved(
  { key, path, value }: Placed & { readonly key: string },
  allowed: AllowedInOverrides,
): readonly OverrideProblem[] {
  const found = checkReservedName({ key, path }, allowed);
  return found.length > 0 ? found : checkAnywhere({ key, path, value }, allowed);
}

/** Returns a problem if only the platform may set an argument, local or dynamic block with this name. */
export function checkReservedName(
  { key, path }: { readonly key: string; readonly path: string },
  { reserved = [] }: AllowedInOverrides,
): readonly OverrideProblem[] {
  return reserved.includes(key) ? [reservedProblem(key, path)] : [];
}

function checkAnywhere(
  { key, path, value }: Placed & { readonly key: string },
  allowed: AllowedInOverrides,
): readonly OverrideProblem[] {
  if (allowed.reservedAnywhere?.includes(key) === true) return [reservedProblem(key, path)];
  if (allowed.identities?.test(key) === true)
    return [
      {
        path,
        message: `${key} names a cloud identity; set it in the entity's spec, where the account's list of allowed identities applies`,
      },
    ];
  return freeMaps.test(key) ? [] : checkBelow({ path, value }, allowed);
}

function checkBelow({ path, value }: Placed, allowed: AllowedInOverrides): readonly OverrideProblem[] {
  if (Array.isArray(value))
    return (value as ReadonlyJson[]).flatMap((inner, index) => checkBelow({ path: `${path}[${index}]`, value: inner }, allowed));
  return isObject(value) ? listMembers(value, path).flatMap((member) => checkAnywhere(member, allowed)) : [];
}

function reservedProblem(key: string, path: string): OverrideProblem {
  return { path, message: `only the platform may set ${key}; use the entity's spec instead` };
}
