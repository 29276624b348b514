import { getKind } from "@cloudwright/contract/kinds";
import type { Command } from "commander";
import { addExamples, onServer, type CommandContext, type Configure } from "../command-context.ts";
import { addKindArgument } from "../list-flags.ts";
import { printDone } from "../output/print-items.ts";
import { requireReferences } from "../references.ts";

/** `cloud agent drain NAME`: lets the agent finish its current tasks but does not assign new ones to it. */
export const configureDrain: Configure = (command, context) =>
  configureDraining(command, context, { verb: "drain", draining: true, done: "no longer accepts new tasks" });

/** Configures `drain` or `undrain`. */
export function configureDraining(
  command: Command,
  context: CommandContext,
  { verb, draining, done }: { verb: "drain" | "undrain"; draining: boolean; done: string },
): void {
  addKindArgument(command, context.kind, "<names...>");
  addExamples(command, `cloud agent ${verb} office`);
  onServer(command, context, async (session, args) => {
    const { client, project, world } = session;
    for (const { name } of requireReferences(verb, context.kind, args, {})) {
      const entity = await client.agents.patch(project, name, { spec: { draining } }, { signal: world.signal });
      await printDone(session, { kind: getKind("Agent"), entity }, done);
    }
  });
}
