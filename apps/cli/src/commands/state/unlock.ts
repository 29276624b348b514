import { Fault } from "@cloudwright/platform/fault";
import { addExamples, onServer, type Configure } from "../../command-context.ts";
import { cliFaults } from "../../faults.ts";
import { isStructured } from "../../output/output.ts";
import { confirm } from "../../prompt.ts";
import { nameStack, requireStack } from "../../stack-uid.ts";
import { addStackArgument } from "./stack.ts";

/** `cloud state unlock cluster/dev`: removes an orphaned lock. With `--force`, removes any lock. */
export const configureStateUnlock: Configure = (command, context) => {
  addStackArgument(command)
    .option("--force", "remove the lock even if its run is still active; that run can then no longer save its state")
    .option("-y, --yes", "skip the confirmation");
  addExamples(command, "cloud state unlock cluster/dev", "cloud state unlock cluster/dev --force");
  onServer(command, context, async (session, [entity = ""], flags) => {
    const { client, output, project, world } = session;
    const force = flags["force"] === true;
    const uid = await requireStack(session, entity);
    if (force && flags["yes"] !== true) {
      if (!world.stdin.isTTY) throw new Fault(cliFaults.not_confirmed, "--force without a terminal requires --yes");
      if (
        !(await confirm(
          world,
          `A run that still holds the lock of ${entity} will no longer be able to save its state. Continue?`,
        ))
      )
        throw new Fault(cliFaults.not_confirmed, `${entity}: not unlocked`);
    }
    const state = await client.states.unlock(project, uid, { force, signal: world.signal });
    if (isStructured(output.format)) return output.structure(state);
    output.done(`${nameStack(state)} is unlocked`);
  });
};
