import { findKind, isNamedBelow, kinds, type Kind } from "@cloudwright/contract/kinds";
import type { Command, Option } from "commander";
import type { Configure } from "../command-context.ts";
import { listAddresses, namesBelow, takeAddress } from "./complete-runs.ts";
import { allowances } from "../flags/allow-flag.ts";
import { connect } from "../connection/session.ts";
import { resolveTarget } from "../connection/target.ts";
import { isHidden, loadCommand } from "../lazy-commands.ts";
import { hasVerb } from "../kinds/registry.ts";
import type { Verb } from "../kinds/verbs.ts";
import { renderPhase } from "../output/columns.ts";
import type { World } from "../world.ts";

interface Candidate {
  readonly value: string;
  readonly about?: string;
}

/** `cloud __complete -- words...`: prints completion candidates for the last word, one per line. */
export const configureComplete: Configure = (command, { world }) => {
  command.argument("[words...]").allowUnknownOption();
  command.action(async (words: string[], _flags: unknown, self: Command) => {
    const found = await listCandidates(world, self.parent as Command, words).catch(() => []);
    const last = words.at(-1) ?? "";
    for (const { value, about = "" } of found) {
      if (value.startsWith(last)) world.stdout.write(about === "" ? `${value}\n` : `${value}\t${about}\n`);
    }
  });
};

async function listCandidates(world: World, root: Command, words: readonly string[]): Promise<Candidate[]> {
  const last = words.at(-1) ?? "";
  const { command, args, pending, flags } = await walk(root, words.slice(0, -1));
  if (pending !== undefined) return completeValue(world, pending, flags, last);
  if (last.startsWith("-")) return listOptions(command);
  const below = command.commands
    .filter((sub) => !isHidden(sub))
    .map((sub) => ({ value: sub.name(), about: sub.summary() || sub.description() }));
  if (below.length > 0 && args.length === 0) return below;
  return completeArgument(world, command, args, flags);
}

interface Walk {
  readonly command: Command;
  /** The arguments typed so far, without flags. */
  readonly args: readonly string[];
  /** The flag whose value is being completed. */
  readonly pending: Option | undefined;
  readonly flags: Readonly<Record<string, string>>;
}

async function walk(root: Command, words: readonly string[]): Promise<Walk> {
  let command = root;
  let args: string[] = [];
  let pending: Option | undefined;
  const flags: Record<string, string> = {};
  for (const word of words) {
    if (pending !== undefined) {
      flags[pending.attributeName()] = word;
      pending = undefined;
    } else if (word.startsWith("-")) {
      const [name, value] = word.split("=");
      const option = command.options.find(({ long, short }) => long === name || short === name);
      if (option?.required === true && value === undefined) pending = option;
      else if (option !== undefined && value !== undefined) flags[option.attributeName()] = value;
    } else {
      const next =
        args.length > 0 ? undefined : command.commands.find((sub) => sub.name() === word || sub.aliases().includes(word));
      if (next === undefined) args = [...args, word];
      else {
        await loadCommand(next);
        command = next;
      }
    }
  }
  return { command, args, pending, flags };
}

function listOptions(command: Command): Candidate[] {
  return [
    ...command.options.filter(({ hidden }) => !hidden),
    { long: "--help", description: "show help for this command" },
  ].flatMap(({ long, description }) => (typeof long === "string" ? [{ value: long, about: description }] : []));
}

async function completeValue(world: World, option: Option, flags: Walk["flags"], last: string): Promise<Candidate[]> {
  if (option.argChoices !== undefined) return option.argChoices.map((value) => ({ value }));
  const name = option.attributeName();
  if (name === "output") return ["table", "wide", "json", "yaml", "name", "jsonpath="].map((value) => ({ value }));
  if (name === "allow") return [...allowances, allowances.slice(0, 2).join(",")].map((value) => ({ value }));
  if (name === "context") {
    const { readConfig } = await import("../connection/config-file.ts");
    return Object.keys((await readConfig(world.home)).contexts).map((value) => ({ value }));
  }
  const kind = findKind(name);
  return kind === undefined || last.startsWith("-") ? [] : listNames(world, kind, flags);
}

const takeKind: readonly string[] = [
  "get",
  "list",
  "describe",
  "create",
  "update",
  "edit",
  "delete",
  "watch",
  "events",
  "pause",
  "resume",
  "rotate",
  "cancel",
  "retry",
  "logs",
  "drain",
  "undrain",
  "join-token",
  "can-i",
];

async function completeArgument(
  world: World,
  command: Command,
  args: readonly string[],
  flags: Walk["flags"],
): Promise<Candidate[]> {
  const verb = command.name();
  const above = command.parent === null ? undefined : findKind(command.parent.name());
  if (above !== undefined) return ["create", "join-token"].includes(verb) ? [] : listNames(world, above, flags);
  const below = namesBelow[command.parent?.name() ?? ""];
  if (below !== undefined) {
    if (verb === "list" || (args.length > 0 && !takeAddress.includes(verb))) return [];
    const target = await resolveTarget(world, flags);
    const client = connect(world, target, { hurry: true });
    return args.length === 0 ? below(client, target.project, verb) : listAddresses(client, target.project, verb, args);
  }
  if (verb === "quota") {
    const { cloudNames, getCloud } = await import("@cloudwright/contract/clouds");
    const known = new Set(cloudNames.flatMap((name) => Object.keys(getCloud(name).quotas)));
    return [...known].toSorted().map((name) => ({ value: `${name}=` }));
  }
  if (verb === "completion") return ["bash", "zsh", "fish"].map((value) => ({ value }));
  if (!takeKind.includes(verb)) return [];
  const kind = findKind(args[0] ?? "");
  if (kind !== undefined) return listNames(world, kind, flags);
  const able: readonly Kind[] = kinds.filter((known) => verb === "can-i" || hasVerb(known.kind, verb as Verb));
  return able.map((known) => ({ value: known.words[0] as string, about: known.kind }));
}

/** Lists entity names from the server. Uses a short timeout, because completion must not block the shell. */
async function listNames(world: World, kind: Kind, flags: Walk["flags"]): Promise<Candidate[]> {
  const target = await resolveTarget(world, flags);
  const client = connect(world, target, { hurry: true });
  const { cluster } = flags;
  if (isNamedBelow(kind) && cluster === undefined) {
    const clusters = await client.clusters.list(target.project, { pageSize: 1000 });
    const pools = await Promise.all(
      clusters.items
        .slice(0, 20)
        .map(async ({ metadata }) => ({ metadata, page: await client.nodePools.list(target.project, metadata.name) })),
    );
    return pools.flatMap(({ metadata, page }) => page.items.map((pool) => ({ value: `${metadata.name}/${pool.metadata.name}` })));
  }
  const resource = client.resource(kind.kind as "Cluster", {
    project: target.project,
    ...(cluster === undefined ? {} : { cluster }),
  });
  const page = await resource.list({ pageSize: 1000 });
  return page.items.map((entity) => ({ value: entity.metadata.name, about: renderPhase({ kind, entity }) || kind.kind }));
}
