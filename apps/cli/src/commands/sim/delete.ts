import { defaultCloud, getCloud } from "@cloudwright/contract/clouds";
import { addExamples, onServer, type Configure } from "../../command-context.ts";
import { isStructured } from "../../output/output.ts";
import { addAccountFlag, addRecordArgument, parseRecord, requireAccount } from "./account.ts";
import { nameRecord } from "./inventory.ts";

const { network, subnet } = getCloud(defaultCloud).examples;

/** `cloud sim delete TYPE/ID`: deletes a simulated resource as if someone had used the cloud's console. Dependencies are not checked. */
export const configureSimDelete: Configure = (command, context) => {
  addAccountFlag(addRecordArgument(command));
  addExamples(
    command,
    `cloud sim delete ${subnet.type}/${subnet.id}`,
    `cloud sim delete ${network.type}/${network.id} --account sandbox`,
  );
  onServer(command, context, async (session, [record = ""], flags) => {
    const { client, output, project, world } = session;
    const account = await requireAccount(session, flags);
    const removed = await client.simulations.remove(project, account, parseRecord(record), { signal: world.signal });
    if (isStructured(output.format)) return output.structure(removed);
    if (output.format === "name") return output.line(nameRecord(removed));
    output.done(`simulated ${nameRecord(removed)} deleted`);
  });
};
