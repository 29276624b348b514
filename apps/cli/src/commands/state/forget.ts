import { addExamples, onServer, type Configure } from "../../command-context.ts";
import { requireStack } from "../../stack-uid.ts";
import { addRepairFlags, confirmRepair, finishRepair } from "./repair.ts";
import { addAddressArgument, addStackArgument } from "./stack.ts";

/** `cloud state forget KIND/NAME ADDRESS`: removes a resource from the state. The resource stays in the cloud. */
export const configureStateForget: Configure = (command, context) => {
  addAddressArgument(addStackArgument(command));
  addRepairFlags(command, "the resource is forgotten", "check whether the resource can be forgotten, without changing the state");
  addExamples(
    command,
    "cloud state forget network/main TYPE.NAME",
    `cloud state forget network/main 'TYPE.NAME["KEY"]' --yes --wait`,
  );
  onServer(command, context, async (session, [entity = "", address = ""], flags) => {
    const { client, project, world } = session;
    const uid = await requireStack(session, entity);
    const question = `${entity} will no longer manage ${address}, and the resource stays in the cloud. If the spec requires it, the next run creates another one. Continue?`;
    await confirmRepair(session, { entity, what: `${address} was not forgotten`, question }, flags);
    const resource = { address, dryRun: flags["dryRun"] === true };
    const operation = await client.states.forget(project, uid, resource, { signal: world.signal });
    await finishRepair(session, operation, { entity, action: "removal from the state" }, flags);
  });
};
