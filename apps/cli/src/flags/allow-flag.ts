import type { Allowance } from "@cloudwright/api-client";
import type { Kind } from "@cloudwright/contract/kinds";
import { Fault } from "@cloudwright/platform/fault";
import { InvalidArgumentError, type Command } from "commander";
import type { FlagValues } from "../command-context.ts";
import { cliFaults } from "../faults.ts";

/** The values that `--allow` accepts. */
export const allowances: readonly Allowance[] = ["replace", "delete", "removed-apis"];

export function takesAllow({ allows = [] }: Kind): boolean {
  return allows.length > 0;
}

export function addAllowFlag(command: Command): void {
  const about =
    "replace, delete: skip approval for changes that affect data or traffic; removed-apis: upgrade even if APIs in use are removed";
  command.option("--allow <what>", about, (text, before: Allowance[] | undefined) => {
    const given = text.split(",").map((word) => {
      const known = allowances.find((allowance) => allowance === word);
      if (known === undefined)
        throw new InvalidArgumentError(`Use one or more of ${allowances.join(", ")}, separated by commas.`);
      return known;
    });
    return [...new Set([...(before ?? []), ...given])];
  });
}

/** Reads `--allow` for a request. Returns an empty object for kinds without runs. */
export function readAllow(kind: Kind, flags: FlagValues): { allow?: readonly Allowance[] } {
  const allow = flags["allow"] as readonly Allowance[] | undefined;
  return allow === undefined || !takesAllow(kind) ? {} : { allow };
}

/** Rejects `--allow` for kinds without runs. */
export function checkAllow(kind: Kind, flags: FlagValues): void {
  if (flags["allow"] !== undefined && !takesAllow(kind))
    throw new Fault(cliFaults.usage, `--allow does not apply to ${kind.collection}, because they have no infrastructure`);
}
