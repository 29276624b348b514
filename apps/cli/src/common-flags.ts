import { Option, type Command } from "commander";

/** Flags that every command accepts, before or after the command's name. */
export interface CommonFlags {
  readonly project?: string;
  readonly output?: string;
  readonly server?: string;
  readonly context?: string;
  readonly quiet?: boolean;
  readonly color?: boolean;
}

/** Adds the common flags. Commands without formatted output pass `output: false`. */
export function addCommonFlags(command: Command, { output = true } = {}): Command {
  const options = [
    new Option("-p, --project <name>", "project to work in"),
    ...(output ? [new Option("-o, --output <format>", "table, wide, json, yaml, name or jsonpath=TEMPLATE")] : []),
    new Option("-q, --quiet", "print only data and errors"),
    new Option("--server <url>", "server address"),
    new Option("--context <name>", "context to use from config.yaml"),
    new Option("--no-color", "disable colours"),
  ];
  const taken = new Set(command.options.map(({ long }) => long));
  for (const option of options) {
    // A spec flag of the same name takes precedence. For example, in the commands for API keys, `--project` names the project that the key
    // is limited to.
    if (!taken.has(option.long)) command.addOption(option.helpGroup("Common options:"));
  }
  return command;
}

/** Reads the common flags of a command and its parents. The innermost command takes precedence. */
export function readCommonFlags(command: Command): CommonFlags {
  const levels: Command[] = [];
  for (let at: Command | null = command; at !== null; at = at.parent) levels.unshift(at);
  const given = levels.flatMap((level) =>
    Object.entries(level.opts()).filter(([name]) => common.has(name) && level.getOptionValueSource(name) === "cli"),
  );
  return Object.fromEntries(given);
}

const common = new Set(["project", "output", "server", "context", "quiet", "color"]);
