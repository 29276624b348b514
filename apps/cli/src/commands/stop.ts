import type { EntityByKind } from "@cloudwright/api-client";
import type { Command } from "commander";
import { addExamples, onServer, type CommandContext, type Configure } from "../command-context.ts";
import { addKindArgument } from "../list-flags.ts";
import { conclude } from "../operations/conclude.ts";
import { addWaitFlags } from "../operations/wait.ts";
import { requireReferences } from "../references.ts";

/** `cloud instance stop NAME`: stops the machine and keeps its disk. */
export const configureStop: Configure = (command, context) =>
  configureRunning(command, context, { verb: "stop", running: false, done: "will be stopped" });

/** Configures `stop` or `start`. */
export function configureRunning(
  command: Command,
  context: CommandContext,
  { verb, running, done }: { verb: "stop" | "start"; running: boolean; done: string },
): void {
  addKindArgument(command, context.kind, "<names...>");
  addWaitFlags(command, running ? "the instance is running" : "the instance is stopped");
  addExamples(command, `cloud instance ${verb} web`, `cloud instance ${verb} web --wait`);
  onServer(command, context, async (session, args, flags) => {
    const { client, project, world } = session;
    for (const { kind, name } of requireReferences(verb, context.kind, args, {})) {
      let accepted: string | undefined;
      const options = { signal: world.signal, onAccepted: (operation: string) => void (accepted = operation) };
      const patch: EntityByKind["Instance"] = { spec: { running } };
      const entity = await client.instances.patch(project, name, patch, options);
      await conclude(session, { item: { kind, entity }, accepted, done }, flags);
    }
  });
}
