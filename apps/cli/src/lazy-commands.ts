import type { Command } from "commander";
import type { CommandContext, Configure } from "./command-context.ts";

/** A command as help lists it; the rest is loaded when it is used. */
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

/** Registers commands below a parent by name and summary only. */
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

/** Loads what a command takes, if that has not happened yet. */
export async function loadCommand(command: Command): Promise<void> {
  await waiting.get(command)?.();
}

/** Whether help and completion leave a command out. */
export function isHidden(command: Command): boolean {
  return hiddenCommands.has(command);
}

function sentence(summary: string): string {
  return `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
}
