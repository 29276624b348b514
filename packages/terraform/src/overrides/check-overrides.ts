import { isObject, type ReadonlyJsonObject } from "@cloudwright/platform";
import { checkProviderBlock, checkResourceBlock } from "./check-blocks.ts";
import { checkReserved } from "./check-reserved.ts";
import { checkValue, isName } from "./check-value.ts";
import { commentKey, listMembers, listPlaced, type Placed } from "./json-blocks.ts";
import type { AllowedInOverrides, OverrideProblem } from "./override-problem.ts";
import { findOversize } from "./oversize.ts";

export { allowOverrides } from "./allow-overrides.ts";

const mostProblems = 100;

const refusedWords: Readonly<Record<string, string>> = {
  terraform: "the platform chooses the backend, versions and providers; remove the block",
  module: "modules contain their own code; override the configuration's resources instead",
  output: "the platform reads the stack's outputs; override the resource or local that the output uses",
  variable: "the platform sets variables; use the entity's spec, or override the local or resource that uses the variable",
  import: "Terraform does not accept imports in overrides, and the platform decides what a stack owns; remove the block",
  moved: "Terraform does not accept moves in overrides; add them to a new version of the configuration",
  removed: "the stack would forget existing resources that cost money; delete the entity instead",
  check: "checks can contain data sources; use a precondition or postcondition of the resource instead",
  ephemeral: "ephemeral resources open connections and fetch secrets while planning; remove the block",
  action: "actions run programs and call functions outside the plan; remove the block",
};

/**
 * Checks an override, which is code that runs with the agent's credentials. Overrides may change arguments of resources, data sources and
 * locals. Their expressions may depend only on the configuration. Never throws; an empty list means that the override is accepted.
 */
export function checkOverrides(overrides: ReadonlyJsonObject, allowed: AllowedInOverrides): readonly OverrideProblem[] {
  const oversize = findOversize(overrides);
  if (oversize !== undefined) return [{ path: "", message: oversize }];
  if (!isObject(overrides)) return [{ path: "", message: "an override must be an object in Terraform's JSON syntax" }];
  const problems = listMembers(overrides, "").flatMap((member) => checkWord(member, allowed));
  return problems.slice(0, mostProblems);
}

function checkWord(member: Placed & { readonly key: string }, allowed: AllowedInOverrides): readonly OverrideProblem[] {
  switch (member.key) {
    case commentKey:
      return [];
    case "resource":
    case "data":
      return checkLabelled(member.key, member, allowed);
    case "provider":
      return eachMember(member, ({ key, ...provider }) =>
        listPlaced(provider).flatMap((block) => checkProviderBlock(key, block, allowed)),
      );
    case "locals":
      return eachMember(member, (local) =>
        local.key === commentKey
          ? []
          : [
              ...(isName(local.key)
                ? []
                : [{ path: local.path, message: `${JSON.stringify(local.key)} is not a valid name for a local` }]),
              ...checkReserved(local, allowed),
              ...checkValue(local),
            ],
      );
    default: {
      const known = Object.hasOwn(refusedWords, member.key) ? refusedWords[member.key] : undefined;
      const message = known ?? "only resource, data, locals and provider can be overridden; remove the block";
      return [{ path: member.path, message }];
    }
  }
}

function checkLabelled(mode: "resource" | "data", word: Placed, allowed: AllowedInOverrides): readonly OverrideProblem[] {
  return eachMember(word, (ofType) =>
    eachMember(ofType, (named) => {
      if (!isName(named.key)) return [{ path: named.path, message: `${JSON.stringify(named.key)} is not a valid resource name` }];
      return listPlaced(named).flatMap((block) => checkResourceBlock(mode, ofType.key, block, allowed));
    }),
  );
}

function eachMember(
  placed: Placed,
  check: (member: Placed & { readonly key: string }) => readonly OverrideProblem[],
): readonly OverrideProblem[] {
  return listPlaced(placed).flatMap(({ path, value }) =>
    isObject(value) ? listMembers(value, path).flatMap(check) : [{ path, message: "use an object or a list of objects" }],
  );
}
