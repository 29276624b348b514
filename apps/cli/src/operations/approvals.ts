import type { RunJson } from "@cloudwright/api-client";
import type { Session } from "../connection/session.ts";
import { renderCounts } from "../runs/counts.ts";
import { nameRun, renderRunCommand } from "../runs/run.ts";
import { isOpen, type Operation } from "./operation.ts";

/** Looks after operations that wait for a person while they are followed. */
export interface Approvals {
  see(operation: Operation): void;
  /** The commands that would let the work go on, as far as is known. */
  listCommands(): string[];
}

/** Whether an operation has come to where a person has to approve its plan: steps that were not reached have nothing to say. */
export function waitsForApproval(operation: Operation): boolean {
  const { steps = [] } = operation.status ?? {};
  return (
    isOpen(operation) &&
    steps.some(
      ({ name, state = "", message = "" }) => name === "approval" && !["DONE", "FAILED"].includes(state) && message !== "",
    )
  );
}

/** Tells once for each plan which run waits, what it would do, and how to approve it. Nothing depends on it: failures are passed over. */
export function createApprovals(
  session: Session,
  say: (operation: Operation, lines: readonly string[]) => void,
  signal: AbortSignal,
): Approvals {
  const waiting = new Map<string, RunJson | undefined>();
  const find = async (operation: Operation): Promise<void> => {
    const { uid, project = session.project } = operation.metadata;
    const query = { entity: operation.spec?.entityUid, state: "NEEDS_APPROVAL", pageSize: 1, signal };
    const [run] = (await session.client.runs.list(project, query)).items;
    const known = waiting.get(uid)?.uid;
    if (run === undefined || !waiting.has(uid) || run.uid === known) return;
    waiting.set(uid, run);
    say(operation, [
      `${nameRun(run)} waits for approval: ${renderCounts(run.counts)}`,
      `  look at it: ${renderRunCommand(session, "plan", run)}`,
      `  approve it: ${renderRunCommand(session, "approve", run)}`,
    ]);
  };
  return {
    see: (operation) => {
      const { uid } = operation.metadata;
      if (!waitsForApproval(operation)) waiting.delete(uid);
      else {
        if (!waiting.has(uid)) waiting.set(uid, undefined);
        find(operation).catch(() => undefined);
      }
    },
    listCommands: () =>
      [...waiting.values()].flatMap((run) => (run === undefined ? [] : [renderRunCommand(session, "approve", run)])),
  };
}
