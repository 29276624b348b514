import type { ListQuery } from "@cloudwright/api-client";
import { InvalidArgumentError, Option, type Command } from "commander";
import type { Kind } from "@cloudwright/contract/kinds";
import type { FlagValues } from "./command-context.ts";
import { requireKind } from "./references.ts";

/** Adds the argument that names the kind, where the command does not stand below one. */
export function addKindArgument(command: Command, kind: Kind | undefined, names: "[names...]" | "<names...>" | ""): void {
  if (kind === undefined) command.argument("<kind>", "a kind such as cluster, or KIND/NAME", checkKind);
  if (names !== "") {
    const optional = names.startsWith("[") || kind === undefined;
    command.argument(optional ? "[names...]" : "<names...>", "names or uids");
  }
  addClusterFlag(command, kind);
}

/** Refuses a mistyped kind before anything else is done; the text itself is read later, together with the names. */
export function checkKind(text: string): string {
  requireKind(text.split("/")[0] as string);
  return text;
}

/** Node pools are named within their cluster. */
export function addClusterFlag(command: Command, kind: Kind | undefined): void {
  if (kind === undefined || kind.kind === "NodePool")
    command.option("--cluster <name>", "the cluster whose node pools are meant");
}

/** Adds the flags that narrow and order a list. */
export function addListFlags(command: Command): void {
  command
    .option("-l, --selector <labels>", "only with these labels: tier=prod,app in (a,b)")
    .option("--filter <fields>", "only with these fields: status.phase=RUNNING,spec.region!=eu-west-1")
    .option("--parent <name>", "only those directly below this entity")
    .addOption(
      new Option("--sort-by <field>", "order").choices(["name", "-name", "createdAt", "-createdAt", "updatedAt", "-updatedAt"]),
    )
    .option("--limit <number>", "at most so many", parseCount);
}

/** What those flags say. */
export function readListFlags(flags: FlagValues): ListQuery & { cluster?: string | undefined; limit?: number | undefined } {
  return {
    labelSelector: flags["selector"] as string | undefined,
    filter: flags["filter"] as string | undefined,
    orderBy: flags["sortBy"] as ListQuery["orderBy"],
    parent: flags["parent"] as string | undefined,
    cluster: flags["cluster"] as string | undefined,
    limit: flags["limit"] as number | undefined,
  };
}

/** A flag's value as a positive whole number. */
export function parseCount(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError("It takes a positive whole number.");
  return Number(text);
}
