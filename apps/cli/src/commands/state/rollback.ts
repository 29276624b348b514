import { Fault } from "@cloudwright/platform/fault";
import { addExamples, onServer, type Configure } from "../../command-context.ts";
import { cliFaults } from "../../faults.ts";
import { isStructured } from "../../output/output.ts";
import { confirm } from "../../prompt.ts";
import { nameStack, requireStack } from "../../stack-uid.ts";
import { addStackArgument, parseVersion } from "./stack.ts";

/** `cloud state rollback cluster/dev 3`: stores the content of version 3 as a new version. */
export const configureStateRollback: Configure = (command, context) => {
  addStackArgument(command)
    .argument("<version>", "version to restore", parseVersion)
    .option("-y, --yes", "skip the confirmation");
  addExamples(command, "cloud state rollback cluster/dev 3", "cloud state rollback cluster/dev 3 --yes");
  onServer(command, context, async (session, [entity = "", version = ""], flags) => {
    const { client, output, project, world } = session;
    const uid = await requireStack(session, entity);
    const question = `This restores the Terraform state of ${entity} to version ${version}; nothing in the cloud changes. Continue?`;
    if (world.stdin.isTTY && flags["yes"] !== true && !(await confirm(world, question)))
      throw new Fault(cliFaults.not_confirmed, `${entity} was not rolled back`);
    const state = await client.states.rollback(project, uid, Number(version), { signal: world.signal });
    if (isStructured(output.format)) return output.structure(state);
    output.done(`${nameStack(state)} is at version ${state.newest?.version ?? 0}, a copy of version ${version}`);
  });
};
