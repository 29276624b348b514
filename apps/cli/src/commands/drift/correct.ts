import type { DriftJson } from "@cloudwright/api-client";
import { getKind } from "@cloudwright/contract/kinds";
import { addExamples, onServer, type Configure } from "../../command-context.ts";
import type { Session } from "../../connection/session.ts";
import { resourceOf } from "../../entities.ts";
import { settleOperation } from "../../operations/settle-operation.ts";
import { addWaitFlags, readWait } from "../../operations/wait.ts";
import { addDriftArgument, printDriftDone, requireDrift } from "../../runs/drift.ts";
import { nameStack } from "../../stack-uid.ts";

/** `cloud drift correct X`: starts an operation that reverts the external changes. Policies and approvals apply to its plan. */
export const configureDriftCorrect: Configure = (command, context) => {
  addDriftArgument(command);
  addWaitFlags(command, "the drift is corrected");
  addExamples(command, "cloud drift correct cluster/dev", "cloud drift correct cluster/dev --wait");
  onServer(command, context, async (session, [text = ""], flags) => {
    const { client, project, world } = session;
    const { uid = "" } = await requireDrift(session, text);
    let operation: string | undefined;
    const onAccepted = (name: string): void => void (operation = name);
    const drift = await client.drifts.correct(project, uid, { signal: world.signal, onAccepted });
    const name = operation ?? (await findOperation(session, drift));
    await settleOperation(session, { name, done: `drift in ${nameStack(drift)} is being corrected` }, flags);
    if (readWait(flags) === undefined) return printDriftDone(session, drift, "is being corrected");
    const after = await client.drifts.get(project, uid, { signal: world.signal });
    await printDriftDone(session, after, `is ${after.state ?? ""}`);
  });
};

/** Returns the entity's newest operation. Needed for servers that do not return the operation's name. */
async function findOperation(session: Session, { entityKind = "", entityUid = "" }: DriftJson): Promise<string | undefined> {
  const entity = await resourceOf(session, getKind(entityKind)).get(entityUid, { signal: session.world.signal });
  return entity.metadata.operation;
}
