import { addExamples, onServer, type Configure } from "../../command-context.ts";
import { settleOperation } from "../../operations/settle-operation.ts";
import { addWaitFlags } from "../../operations/wait.ts";
import { addDriftArgument, printDriftDone, requireDrift } from "../../runs/drift.ts";
import { nameStack } from "../../stack-uid.ts";

/** `cloud drift accept X`: adds the differences to the entity's ignore rules. */
export const configureDriftAccept: Configure = (command, context) => {
  addDriftArgument(command);
  addWaitFlags(command, "the entity is updated");
  addExamples(command, "cloud drift accept cluster/dev", "cloud drift accept 0123456789ab --wait");
  onServer(command, context, async (session, [text = ""], flags) => {
    const { client, project, world } = session;
    const { uid = "" } = await requireDrift(session, text);
    let operation: string | undefined;
    const onAccepted = (name: string): void => void (operation = name);
    const drift = await client.drifts.accept(project, uid, { signal: world.signal, onAccepted });
    await settleOperation(session, { name: operation, done: `drift in ${nameStack(drift)} is accepted` }, flags);
    await printDriftDone(session, drift, "is accepted; spec.infra.ignore now lists the changed attributes");
  });
};
