import { Fault } from "@cloudwright/platform";
import { terraformFaults } from "../faults.ts";
import type { CommandOutcome } from "./command-report.ts";
import { findErroredState } from "./errored-state.ts";
import type { CommandRun } from "./run-command.ts";
import type { Session } from "./session.ts";

/** Returns the outcome of a finished command. `read` parses the value from the output and throws if that fails. */
export function conclude<Value>(session: Session, run: CommandRun, read: (run: CommandRun) => Value): CommandOutcome<Value> {
  const { report, fault, cancelled } = run;
  const errored = findErroredState(session.directory);
  const left = errored === undefined ? {} : { erroredState: errored };
  if (fault !== undefined) {
    const isLost = errored !== undefined && !cancelled && fault.code !== terraformFaults.state_not_saved.code;
    const said = isLost
      ? new Fault(terraformFaults.state_not_saved, `${report.command}: ${fault.message}`, { cause: fault })
      : fault;
    return { outcome: cancelled ? "cancelled" : "failed", fault: said, report, ...left };
  }
  try {
    return { outcome: "done", value: read(run), report };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { outcome: "failed", fault: error, report, ...left };
  }
}
