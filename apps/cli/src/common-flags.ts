import { Option, type Command } from "commander";

/** Flags that every command takes, before or after its name. */
export interface CommonFlags {
  readonly project?: string;
  readonly output?: string;
  readonly server?: string;
  readonly context?: string;
  readonly quiet?: boolean;
  readonly color?: boolean;
}

/** Adds the flags of every command; `output: false` where there is nothing to format. */
export function addCommonFlags(command: Command, { output = true } = {}): Command {
  const options = [
    new Option("-p, --project <name>", "project to work in"),
    ...(output ? [new Option("-o, --output <format>", "table, wide, json, yaml, name or jsonpath=TEMPLATE")] : []),
    new Option("-q, --quiet", "print nothing but data and errors"),
    new Option("--server <url>", "address of the server"),
    new Option("--context <name>", "context of config.yaml to use"),
    new Option("--no-color", "plain text, also on a terminal"),
  ];
  const taken = new Set(command.options.map(({ long }) => long));
  for (const option of options) {
    // A kind's own field of that name goes first: an API key's --project is the project it is limited to.
    if (!taken.has(option.long)) command.addOption(option.helpGroup("Common options:"));
  }
  return command;
}

/** The common flags as given at any level of a command; the nearest to its end wins. */
export function readCommonFlags(command: Command): CommonFlags {
  const levels: Command[] = [];
  for (let at: Command | null = command; at !== null; at = at.parent) levels.unshift(at);
  const given = levels.flatMap((level) =>
    Object.entries(level.opts()).filter(([name]) => common.has(name) && level.getOptionValueSource(name) === "cli"),
  );
  return Object.fromEntries(given);
}

const common = new Set(["project", "output", "server", "context", "quiet", "color"]);
