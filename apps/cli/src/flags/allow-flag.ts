import type { Allowance } from "@cloudwright/api-client";
import type { Kind, KindName } from "@cloudwright/contract/kinds";
import { Fault } from "@cloudwright/platform/fault";
import { InvalidArgumentError, type Command } from "commander";
import type { FlagValues } from "../command-context.ts";
import { cliFaults } from "../faults.ts";

/** What can be allowed, in the words of the flag. */
export const allowances: readonly Allowance[] = ["replace", "delete", "removed-apis"];

/** Kinds whose changes may cost something that holds data or traffic. A test holds it against the contract. */
const risky: ReadonlySet<string> = new Set<KindName>(["Network", "Cluster", "NodePool", "Storage"]);

/** Whether a change of this kind can be allowed to replace or delete. */
export function takesAllow({ kind }: Kind): boolean {
  return risky.has(kind);
}

/** Adds --allow. */
export function addAllowFlag(command: Command): void {
  const about =
    "what it may do to what holds data or traffic without waiting for approval: replace, delete; removed-apis: upgrade though APIs in use go";
  command.option("--allow <what>", about, (text, before: Allowance[] | undefined) => {
    const given = text.split(",").map((word) => {
      const known = allowances.find((allowance) => allowance === word);
      if (known === undefined) throw new InvalidArgumentError(`It takes ${allowances.join(", ")}, or several with commas.`);
      return known;
    });
    return [...new Set([...(before ?? []), ...given])];
  });
}

/** What the flags allow a change of this kind to do, as the client takes it; kinds without runs need nothing and are sent nothing. */
export function readAllow(kind: Kind, flags: FlagValues): { allow?: readonly Allowance[] } {
  const allow = flags["allow"] as readonly Allowance[] | undefined;
  return allow === undefined || !takesAllow(kind) ? {} : { allow };
}

/** Refuses --allow where it would mean nothing. */
export function checkAllow(kind: Kind, flags: FlagValues): void {
  if (flags["allow"] !== undefined && !takesAllow(kind))
    throw new Fault(cliFaults.usage, `--allow means nothing for ${kind.collection}: no run of Terraform stands behind them`);
}
