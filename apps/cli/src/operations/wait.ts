import { joinSignals } from "@cloudwright/platform/join-signals";
import { Fault } from "@cloudwright/platform/fault";
import { InvalidArgumentError, type Command } from "commander";
import type { FlagValues } from "../command-context.ts";
import type { Session } from "../connection/session.ts";
import { parseDuration } from "../duration.ts";
import { cliFaults } from "../faults.ts";
import { createApprovals, type Approvals } from "./approvals.ts";
import { followOperations } from "./follow.ts";
import { renderDeed, renderFollowCommands, type Operation, type OperationRef } from "./operation.ts";
import { createProgress, type Progress } from "./progress.ts";

export function addWaitFlags(command: Command, until: string): void {
  command.option("--wait", `wait until ${until}; Ctrl-C leaves the work running`);
  addTimeoutFlag(command, "30m");
}

/** Adds only `--timeout`, for commands that always wait. */
export function addTimeoutFlag(command: Command, unlessSaid: string): void {
  command.option("--timeout <duration>", `maximum time to wait, such as 90s or 30m (default: ${unlessSaid})`, (text) => {
    const ms = parseDuration(text);
    if (ms === undefined) throw new InvalidArgumentError("Use a duration such as 90s or 30m.");
    return ms;
  });
}

const defaultTimeoutMs = 30 * 60_000;

/**
 * Follows operations until they end and shows their progress. On Ctrl-C or timeout, prints the command to resume following. The timeout
 * covers all waits of the command, so a command with several entities does not wait several times as long.
 */
export async function waitForOperations(
  session: Session,
  refs: readonly OperationRef[],
  { timeoutMs }: { timeoutMs: number | undefined },
): Promise<Operation[]> {
  const { world, waited } = session;
  const late = new AbortController();
  const done = new AbortController();
  const startedAtMs = world.clock.now();
  if (timeoutMs !== undefined) {
    world.clock.sleep(Math.max(0, timeoutMs - waited.totalMs), done.signal).then(
      () => late.abort(new Error("out of time")),
      () => undefined,
    );
  }
  const joined = joinSignals([world.signal, late.signal]);
  const signal = joined.signal as AbortSignal;
  const progress = await createProgress(session, refs);
  const approvals = createApprovals(session, progress.tell, signal);
  try {
    return await showProgress(session, refs, { progress, approvals, signal });
  } catch (error) {
    const commands = renderFollowCommands(session, refs);
    const approve = approvals.listCommands().join("; ");
    if (world.signal.aborted) {
      if (approve !== "") world.stderr.write(`waiting for approval; approve with: ${approve}\n`);
      world.stderr.write(`work continues on the server; follow progress with: ${commands.join("; ")}\n`);
    } else if (late.signal.aborted) {
      const names = refs.map(({ name }) => name).join(", ");
      const first = approve === "" ? "" : `To approve, run \`${approve}\`. `;
      const fault = { ...cliFaults.wait_timeout, help: `${first}Follow progress with \`${commands.join("; ")}\`.` };
      throw new Fault(
        fault,
        `${names}: not finished after ${Math.round((timeoutMs ?? 0) / 1000)} s; work continues on the server`,
      );
    }
    throw error;
  } finally {
    waited.totalMs += world.clock.now() - startedAtMs;
    done.abort();
    joined.release();
  }
}

async function showProgress(
  session: Session,
  refs: readonly OperationRef[],
  { progress, approvals, signal }: { progress: Progress; approvals: Approvals; signal: AbortSignal },
): Promise<Operation[]> {
  const show = (operation: Operation): void => {
    progress.show(operation);
    approvals.see(operation);
  };
  try {
    return await followOperations(session, refs, { show, lost: progress.lost }, signal);
  } finally {
    await progress.stop();
  }
}

/** Reads `--wait` and `--timeout`. Returns undefined if `--wait` is absent. */
export function readWait(flags: FlagValues): { timeoutMs: number } | undefined {
  return flags["wait"] === true ? { timeoutMs: (flags["timeout"] as number | undefined) ?? defaultTimeoutMs } : undefined;
}

/** Returns a fault for the first failed operation, or else for the first cancelled one. Returns undefined if all succeeded. */
export function findTrouble(operations: readonly Operation[]): Fault | undefined {
  const failed = operations.find(({ status }) => status?.state === "FAILED");
  const cancelled = operations.find(({ status }) => status?.state === "CANCELLED");
  const operation = failed ?? cancelled;
  if (operation === undefined) return undefined;
  const { name } = operation.metadata;
  const { message = "", code = "", left = [] } = operation.status ?? {};
  const [declared, ended] =
    failed === undefined
      ? [cliFaults.wait_cancelled, "was cancelled"]
      : [cliFaults.wait_failed, `failed${code && ` with ${code}`}`];
  const count = operations.filter(({ status }) => status?.state === operation.status?.state).length;
  const more = count > 1 ? ` (and ${count - 1} more)` : "";
  const help = declared.help.replaceAll("NAME", name);
  return new Fault(
    { ...declared, help: operation.spec?.verb === "delete" ? `${help} ${forceHelp}` : help },
    `${renderDeed(operation)} ${ended}: ${message || "no reason given"}${more}`,
    {
      fields: left.map((item) => ({ field: "left", message: item })),
    },
  );
}

const forceHelp = "`cloud delete KIND NAME --force` deletes the entity anyway and records the remaining resources as abandoned.";
