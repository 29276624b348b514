import type { RunJson } from "@cloudwright/api-client";
import type { Session } from "../connection/session.ts";
import { renderCounts } from "../runs/counts.ts";
import { nameRun, renderRunCommand } from "../runs/run.ts";
import { isOpen, type Operation } from "./operation.ts";

/** Tracks plans that wait for approval while the CLI follows operations. */
export interface Approvals {
  see(operation: Operation): void;
  /** Returns the commands that approve the plans announced so far. */
  listCommands(): string[];
}

/** Returns whether an operation is waiting for approval. An approval step without a message has not been reached yet. */
export function waitsForApproval(operation: Operation): boolean {
  const { steps = [] } = operation.status ?? {};
  return (
    isOpen(operation) &&
    steps.some(
      ({ name, state = "", message = "" }) => name === "approval" && !["DONE", "FAILED"].includes(state) && message !== "",
    )
  );
}

/**
 * Announces each waiting plan once, with its run, its changes and the command to approve it. Ignores errors, because the announcement
 * is only a hint.
 */
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
      `${nameRun(run)} is waiting for approval: ${renderCounts(run.counts)}`,
      `  view the plan: ${renderRunCommand(session, "plan", run)}`,
      `  approve: ${renderRunCommand(session, "approve", run)}`,
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
