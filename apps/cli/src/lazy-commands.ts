import type { Command } from "commander";
import type { CommandContext, Configure } from "./command-context.ts";

/** A command as listed in the help. Its implementation is loaded on first use. */
export interface CommandEntry {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly summary: string;
  readonly group?: string;
  readonly hidden?: boolean;
  readonly load: () => Promise<Configure>;
}

const waiting = new WeakMap<Command, () => Promise<void>>();
const hiddenCommands = new WeakSet<Command>();

/** Registers subcommands by name and summary only. */
export function addLazyCommands(parent: Command, entries: readonly CommandEntry[], context: CommandContext): void {
  parent.helpCommand(false);
  for (const { name, aliases = [], summary, group, hidden = false, load } of entries) {
    const command = parent.command(name, { hidden }).summary(summary).description(sentence(summary));
    if (hidden) hiddenCommands.add(command);
    if (aliases.length > 0) command.aliases(aliases);
    if (group !== undefined) command.helpGroup(group);
    waiting.set(command, async () => {
      waiting.delete(command);
      await (
        await load()
      )(command, context);
    });
  }
  parent.hook("preSubcommand", (_, command) => loadCommand(command));
}

/** Loads the arguments and flags of a command, unless they are already loaded. */
export async function loadCommand(command: Command): Promise<void> {
  await waiting.get(command)?.();
}

/** Returns true if help and completion hide the command. */
export function isHidden(command: Command): boolean {
  return hiddenCommands.has(command);
}

function sentence(summary: string): string {
  return `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
}
