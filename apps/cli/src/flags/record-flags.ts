import { Option, type Command } from "commander";
import type { FlagValues } from "../command-context.ts";

/** A flag that adds a record to a list in the spec, in a form that is shorter than that of the flag for the whole list. */
export interface RecordFlag {
  readonly name: string;
  readonly placeholder: string;
  readonly description: string;
  /** The list's field in the spec. */
  readonly field: string;
  /** Parses one value of the flag. Throws `cli.usage` if it is malformed. */
  parse(text: string): object;
}

export function addRecordFlags(command: Command, flags: readonly RecordFlag[] = []): void {
  for (const { name, placeholder, description } of flags) {
    const option = new Option(`--${name} ${placeholder}`, description).helpGroup("Spec options:");
    command.addOption(option.argParser<string[]>((value, before) => [...(before ?? []), value]));
  }
}

/** Adds the records of the flags to the lists in a spec. Lists without such a record stay unchanged. */
export function readRecordFlags(
  spec: Readonly<Record<string, unknown>>,
  flags: readonly RecordFlag[] = [],
  values: FlagValues,
): Record<string, unknown> {
  const next: Record<string, unknown> = { ...spec };
  for (const { name, field, parse } of flags) {
    const key = name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
    const given = (values[key] ?? []) as readonly string[];
    const listed = (next[field] ?? []) as readonly unknown[];
    if (given.length > 0) next[field] = [...listed, ...given.map(parse)];
  }
  return next;
}
