import { addExamples, onServer, type CommandContext, type Configure } from "../command-context.ts";
import type { Command } from "commander";
import { resourceOf } from "../entities.ts";
import { addKindArgument } from "../list-flags.ts";
import { printDone } from "../output/print-items.ts";
import { requireReferences } from "../references.ts";

/** `cloud pause cluster dev`: stops reconciling an entity until the user resumes it. */
export const configurePause: Configure = (command, context) => configureAct(command, context, "pause", "paused");

/** Configures `pause` or `resume` for any number of entities. */
export function configureAct(command: Command, context: CommandContext, verb: "pause" | "resume", done: string): void {
  const { kind } = context;
  addKindArgument(command, kind, "<names...>");
  addExamples(command, kind === undefined ? `cloud ${verb} cluster dev` : `cloud ${kind.words[0]} ${verb} dev`);
  onServer(command, context, async (session, args, flags) => {
    const references = requireReferences(verb, kind, args, { cluster: flags["cluster"] as string | undefined });
    for (const reference of references) {
      const resource = resourceOf(session, reference.kind, reference.cluster);
      const entity = await resource.act(reference.name, verb, { signal: session.world.signal });
      await printDone(session, { kind: reference.kind, cluster: reference.cluster, entity }, done);
    }
  });
}
