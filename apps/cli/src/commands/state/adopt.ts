import { addExamples, onServer, type Configure } from "../../command-context.ts";
import { requireStack } from "../../stack-uid.ts";
import { addRepairFlags, confirmRepair, finishRepair } from "./repair.ts";
import { addAddressArgument, addStackArgument } from "./stack.ts";

/** `cloud state adopt KIND/NAME ADDRESS ID`: adds a resource that exists in the cloud to the state. */
export const configureStateAdopt: Configure = (command, context) => {
  addAddressArgument(addStackArgument(command)).argument(
    "<id>",
    "id of the resource in the cloud, as used by `terraform import`",
  );
  addRepairFlags(command, "the resource is adopted", "check whether the resource can be adopted, without changing the state");
  addExamples(
    command,
    "cloud state adopt network/main TYPE.NAME ID",
    `cloud state adopt network/main 'TYPE.NAME["KEY"]' ID --yes --wait`,
    "cloud state adopt network/main TYPE.NAME ID --dry-run --wait",
  );
  onServer(command, context, async (session, [entity = "", address = "", id = ""], flags) => {
    const { client, project, world } = session;
    const uid = await requireStack(session, entity);
    const question = `${entity} will manage ${id} as ${address}. From then on, the resource is changed and deleted together with ${entity}. Continue?`;
    await confirmRepair(session, { entity, what: `${id} was not adopted`, question }, flags);
    const resource = { address, id, dryRun: flags["dryRun"] === true };
    const operation = await client.states.adopt(project, uid, resource, { signal: world.signal });
    await finishRepair(session, operation, { entity, action: "adoption" }, flags);
  });
};
