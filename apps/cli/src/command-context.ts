import type { Kind } from "@cloudwright/contract/kinds";
import type { Command } from "commander";
import { addCommonFlags } from "./common-flags.ts";
import { openSession, type Session } from "./connection/session.ts";
import type { World } from "./world.ts";

/** The context in which a command is configured. `kind` is set for commands that belong to a kind, such as `cloud cluster get`. */
export interface CommandContext {
  readonly world: World;
  readonly kind?: Kind;
}

/** Adds a command's arguments, flags and action. This function runs only when that command is invoked. */
export type Configure = (command: Command, context: CommandContext) => void | Promise<void>;

export type FlagValues = Readonly<Record<string, unknown>>;

/** Adds the common flags and an action that calls the server. */
export function onServer(
  command: Command,
  { world }: CommandContext,
  work: (session: Session, args: readonly string[], flags: FlagValues) => Promise<void>,
): void {
  addCommonFlags(command).action(async (...all: unknown[]) => {
    const self = all.at(-1) as Command;
    await work(await openSession(world, self), self.args, self.opts());
  });
}

/** Adds the common flags and an action that does not call the server. */
export function onlyHere(
  command: Command,
  work: (args: readonly string[], flags: FlagValues, self: Command) => Promise<void> | void,
): void {
  addCommonFlags(command).action(async (...all: unknown[]) => {
    const self = all.at(-1) as Command;
    await work(self.args, self.opts(), self);
  });
}

/** Appends examples to a command's help text. */
export function addExamples(command: Command, ...examples: string[]): void {
  command.addHelpText("after", `\nExamples:\n${examples.map((example) => `  $ ${example}`).join("\n")}`);
}
