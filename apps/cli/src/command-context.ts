import type { Kind } from "@cloudwright/contract/kinds";
import type { Command } from "commander";
import { addCommonFlags } from "./common-flags.ts";
import { openSession, type Session } from "./connection/session.ts";
import type { World } from "./world.ts";

/** The context a command is configured with. `kind` is set for commands below a kind, such as `cloud cluster get`. */
export interface CommandContext {
  readonly world: World;
  readonly kind?: Kind;
}

/** Adds arguments, flags and action to a command. Called only when the command is used. */
export type Configure = (command: Command, context: CommandContext) => void | Promise<void>;

/** Flag values as the parser read them. */
export type FlagValues = Readonly<Record<string, unknown>>;

/** Adds the common flags and an action that needs a server. */
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

/** Adds an action that needs no server. */
export function onlyHere(
  command: Command,
  work: (args: readonly string[], flags: FlagValues, self: Command) => Promise<void> | void,
): void {
  addCommonFlags(command).action(async (...all: unknown[]) => {
    const self = all.at(-1) as Command;
    await work(self.args, self.opts(), self);
  });
}

/** Examples below a command's help. */
export function addExamples(command: Command, ...examples: string[]): void {
  command.addHelpText("after", `\nExamples:\n${examples.map((example) => `  $ ${example}`).join("\n")}`);
}
