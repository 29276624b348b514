import { addExamples, onServer, type Configure } from "../../command-context.ts";
import { addWaitFlags } from "../../operations/wait.ts";
import { addRunArgument, requireRun } from "../../runs/run.ts";
import { cancelOperation } from "../cancel.ts";

/** `cloud run cancel RUN`: cancels the run's operation, like `cloud operation cancel`. */
export const configureRunCancel: Configure = (command, context) => {
  addRunArgument(command);
  addWaitFlags(command, "the operation has ended");
  addExamples(command, "cloud run cancel cluster/dev", "cloud run cancel 0123456789ab --wait");
  onServer(command, context, async (session, [text = ""], flags) => {
    const { operation = "" } = await requireRun(session, text);
    await cancelOperation(session, operation, flags);
  });
};
