import { Fault } from "@cloudwright/platform/fault";
import { addExamples, onServer, type Configure } from "../../command-context.ts";
import { cliFaults } from "../../faults.ts";
import { isStructured } from "../../output/output.ts";
import { confirm } from "../../prompt.ts";
import { nameStack, requireStack } from "../../stack-uid.ts";
import { addStackArgument } from "./stack.ts";

/** `cloud state unlock cluster/dev`: a lock whose holder is gone; with --force any. */
export const configureStateUnlock: Configure = (command, context) => {
  addStackArgument(command)
    .option("--force", "also from a run that is alive: what it does from then on is not written down")
    .option("-y, --yes", "do not ask");
  addExamples(command, "cloud state unlock cluster/dev", "cloud state unlock cluster/dev --force");
  onServer(command, context, async (session, [entity = ""], flags) => {
    const { client, output, project, world } = session;
    const force = flags["force"] === true;
    const uid = await requireStack(session, entity);
    if (force && flags["yes"] !== true) {
      if (!world.stdin.isTTY) throw new Fault(cliFaults.not_confirmed, "--force asks for --yes where nobody can be asked");
      if (!(await confirm(world, `A run that still holds the lock of ${entity} could not write its state any more. Go on?`)))
        throw new Fault(cliFaults.not_confirmed, `${entity}: not unlocked`);
    }
    const state = await client.states.unlock(project, uid, { force, signal: world.signal });
    if (isStructured(output.format)) return output.structure(state);
    output.done(`${nameStack(state)} is unlocked`);
  });
};
