import type { ListQuery } from "@cloudwright/api-client";
import { InvalidArgumentError, Option, type Command } from "commander";
import { isNamedBelow, type Kind } from "@cloudwright/contract/kinds";
import type { FlagValues } from "./command-context.ts";
import { requireKind } from "./references.ts";

/** Adds the KIND argument, unless the command already belongs to a kind. */
export function addKindArgument(command: Command, kind: Kind | undefined, names: "[names...]" | "<names...>" | ""): void {
  if (kind === undefined) command.argument("<kind>", "a kind such as cluster, or KIND/NAME", checkKind);
  if (names !== "") {
    const optional = names.startsWith("[") || kind === undefined;
    command.argument(optional ? "[names...]" : "<names...>", "names or uids");
  }
  addClusterFlag(command, kind);
}

/** Rejects a mistyped kind early. The argument is parsed again later, together with the names. */
export function checkKind(text: string): string {
  requireKind(text.split("/")[0] as string);
  return text;
}

/** Adds `--cluster` for node pools, because their names are unique only within a cluster. */
export function addClusterFlag(command: Command, kind: Kind | undefined): void {
  if (kind === undefined || isNamedBelow(kind)) command.option("--cluster <name>", "cluster that the node pools belong to");
}

export function addListFlags(command: Command): void {
  command
    .option("-l, --selector <labels>", "show only entities with these labels, such as 'tier=prod,app in (a,b)'")
    .option(
      "--filter <fields>",
      "show only entities that match these fields, such as status.phase=RUNNING,spec.region!=eu-west-1",
    )
    .option("--parent <name>", "show only direct children of this entity")
    .addOption(
      new Option("--sort-by <field>", "sort order").choices([
        "name",
        "-name",
        "createdAt",
        "-createdAt",
        "updatedAt",
        "-updatedAt",
      ]),
    )
    .option("--limit <number>", "maximum number of entities to show", parseCount);
}

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

export function parseCount(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError("Use a positive whole number.");
  return Number(text);
}
