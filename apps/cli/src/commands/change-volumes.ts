import type { EntityByKind, Stored, WriteOptions } from "@cloudwright/api-client";
import type { Command } from "commander";
import { onServer, type CommandContext, type FlagValues } from "../command-context.ts";
import type { Session } from "../connection/session.ts";
import type { Verb } from "../kinds/verbs.ts";
import { addKindArgument } from "../list-flags.ts";
import { conclude } from "../operations/conclude.ts";
import { addWaitFlags } from "../operations/wait.ts";
import { requireReferences } from "../references.ts";

interface VolumeChange {
  readonly verb: Verb;
  /** What `--wait` waits for. */
  readonly until: string;
  /** What will happen to the volume, for the output. */
  readonly done: string;
  /** Sends the change of one volume. */
  change(session: Session, name: string, flags: FlagValues, options: WriteOptions): Promise<Stored<EntityByKind["Volume"]>>;
}

/** Configures a command that changes the named volumes one after the other. */
export function configureVolumeChange(
  command: Command,
  context: CommandContext,
  { verb, until, done, change }: VolumeChange,
): void {
  addKindArgument(command, context.kind, "<names...>");
  addWaitFlags(command, until);
  onServer(command, context, async (session, args, flags) => {
    for (const { kind, name } of requireReferences(verb, context.kind, args, {})) {
      let accepted: string | undefined;
      const options = { signal: session.world.signal, onAccepted: (operation: string) => void (accepted = operation) };
      const entity = await change(session, name, flags, options);
      await conclude(session, { item: { kind, entity }, accepted, done }, flags);
    }
  });
}
