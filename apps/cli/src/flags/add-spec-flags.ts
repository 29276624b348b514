import { Fault } from "@cloudwright/platform/fault";
import { Option, type Command } from "commander";
import { cliFaults } from "../faults.ts";
import type { SpecFlag } from "./spec-flags.ts";

/**
 * Adds the spec flags of a kind. No flag takes the value of a secret, because other processes can read command-line arguments. With
 * `canClear`, the help says how to clear lists.
 */
export function addSpecFlags(command: Command, flags: readonly SpecFlag[], { canClear = false } = {}): void {
  for (const flag of flags.map((each) => (canClear && isList(each) ? describeClearing(each) : each)))
    for (const option of toOptions(flag)) command.addOption(option.helpGroup("Spec options:"));
  if (flags.some((flag) => flag.isSecret)) {
    command.addOption(
      new Option("--env-file <path>", "read secrets and related fields from a file of NAME=VALUE lines").helpGroup(
        "Spec options:",
      ),
    );
  }
}

function isList({ type }: SpecFlag): boolean {
  return type === "list" || type === "map" || type === "records";
}

function describeClearing(flag: SpecFlag): SpecFlag {
  return { ...flag, description: `${flag.description.replace(/\.?$/, ".")} To clear: --${flag.name} ''.` };
}

function toOptions(flag: SpecFlag): Option[] {
  const description =
    flag.reference === undefined || flag.description !== ""
      ? flag.description
      : `name or uid of the ${flag.reference.toLowerCase()}`;
  if (flag.isSecret) {
    return [
      new Option(`--${flag.name}-stdin`, `${description} Read from standard input.`),
      new Option(`--${flag.name}-file <path>`, `${description} Read from a file.`),
      new Option(`--${flag.name} <value>`).hideHelp().argParser(() => {
        const instead = `--${flag.name}-stdin, --${flag.name}-file or --env-file`;
        throw new Fault(cliFaults.usage, `--${flag.name} would expose a secret to everyone on this machine; use ${instead}`);
      }),
    ];
  }
  if (flag.type === "document") {
    return [
      new Option(`--${flag.name}-file <path>`, `${description} Read from a YAML or JSON file.`),
      new Option(`--${flag.name} <value>`).hideHelp().argParser(() => {
        throw new Fault(cliFaults.usage, `--${flag.name} takes no value; write the value to a file and use --${flag.name}-file`);
      }),
    ];
  }
  if (flag.type === "switch") {
    const off = `--no-${flag.name}`;
    return [new Option(`--${flag.name}`, `${description.replace(/\.?$/, ".")} To turn off: ${off}.`), new Option(off).hideHelp()];
  }
  const option = new Option(`--${flag.name}${placeholders[flag.type]}`, description);
  if (isList(flag)) {
    option.argParser<string[]>((value, before) => [...(before ?? []), value]);
  }
  return [flag.choices !== undefined && flag.type !== "list" ? option.choices(flag.choices) : option];
}

const placeholders: Readonly<Record<SpecFlag["type"], string>> = {
  text: " <text>",
  number: " <number>",
  switch: "",
  time: " <time>",
  list: " <value>",
  map: " <key=value>",
  records: " <field=value,...>",
  case: " <name>",
  document: " <path>",
};
