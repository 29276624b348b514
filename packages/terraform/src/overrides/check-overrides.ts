import { isObject, type ReadonlyJsonObject } from "@cloudwright/platform";
import { checkProviderBlock, checkResourceBlock } from "./check-blocks.ts";
import { checkReserved, checkValue, isName } from "./check-value.ts";
import { commentKey, listMembers, listPlaced, type Placed } from "./json-blocks.ts";
import type { AllowedInOverrides, OverrideProblem } from "./override-problem.ts";
import { findOversize } from "./oversize.ts";

const mostProblems = 100;

const refusedWords: Readonly<Record<string, string>> = {
  terraform: "backend, versions and providers are the platform's to choose; remove the block",
  module: "modules bring code of their own; override the resources of the configuration instead",
  output: "outputs are what the platform reads of a stack; override the resource or the local behind it",
  variable:
    "variables are given by the platform; say it in the entity's spec, or override the local or the resource that uses it",
  import: "Terraform takes no imports from overrides, and what a stack owns is the platform's to decide; remove the block",
  moved: "Terraform takes no moves from overrides; a new version of the configuration brings them",
  removed: "it would make the stack forget what exists and is paid for; delete the entity instead",
  check: "checks bring data sources of their own; use a precondition or postcondition of the resource",
  ephemeral: "ephemeral resources open connections and fetch secrets while planning; remove the block",
  action: "actions run programs and call functions beside the plan; remove the block",
};

/** Where clouds keep tags. What says whose a thing is stands there: reserved, since what a user wants there comes by labels. */
export const taggingAttributes: readonly string[] = ["tags", "tag", "labels"];

/**
 * What is refused in an override, which is code that runs where the agent's credentials are. Overrides are in Terraform's JSON syntax and may change
 * arguments of resources, data sources and locals, with expressions that depend on the configuration alone. Never throws; empty means fine.
 */
export function checkOverrides(overrides: ReadonlyJsonObject, allowed: AllowedInOverrides): readonly OverrideProblem[] {
  const oversize = findOversize(overrides);
  if (oversize !== undefined) return [{ path: "", message: oversize }];
  if (!isObject(overrides)) return [{ path: "", message: "an override is an object in Terraform's JSON syntax" }];
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
                : [{ path: local.path, message: `${JSON.stringify(local.key)} is not the name of a local` }]),
              ...checkReserved(local.key, local.path, allowed),
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
      if (!isName(named.key))
        return [{ path: named.path, message: `${JSON.stringify(named.key)} is not the name of a resource` }];
      return listPlaced(named).flatMap((block) => checkResourceBlock(mode, ofType.key, block, allowed));
    }),
  );
}

function eachMember(
  placed: Placed,
  check: (member: Placed & { readonly key: string }) => readonly OverrideProblem[],
): readonly OverrideProblem[] {
  return listPlaced(placed).flatMap(({ path, value }) =>
    isObject(value)
      ? listMembers(value, path).flatMap(check)
      : [{ path, message: "an object is expected here, or a list of objects" }],
  );
}
