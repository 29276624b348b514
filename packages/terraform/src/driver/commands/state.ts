import { createUid, Fault } from "@cloudwright/platform";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { terraformFaults } from "../../faults.ts";
import { parseState, type TerraformState } from "../../reading/state.ts";
import type { CommandOutcome } from "../command-report.ts";
import { conclude } from "../conclude.ts";
import { findErroredState } from "../errored-state.ts";
import { runCommand, type CommandRun } from "../run-command.ts";
import type { Session } from "../session.ts";
import { listLockArguments, requireAddress } from "./arguments.ts";

/** A state as it is stored, and what can be read of it. */
export interface PulledState {
  /** Undefined where nothing was ever stored. */
  readonly state: TerraformState | undefined;
  /** In clear: it holds secrets. */
  readonly bytes: Buffer;
}

/** The addresses of everything in the state. */
export async function listState(session: Session): Promise<CommandOutcome<readonly string[]>> {
  const run = await runCommand(session, { name: "state list", args: ["state", "list", "-no-color"], output: "answer" });
  // Where there is no state yet, it says so by an error.
  const isNone = run.report.strayLines.last.some((line) => line.includes("No state file was found"));
  if (run.fault !== undefined && isNone) {
    return { outcome: "done", value: [], report: run.report };
  }
  return conclude(session, run, ({ answer }) =>
    answer
      .toString()
      .split("\n")
      .filter((line) => line !== ""),
  );
}

/** The whole state. */
export async function pullState(session: Session): Promise<CommandOutcome<PulledState>> {
  const run = await runCommand(session, { name: "state pull", args: ["state", "pull", "-no-color"], output: "answer" });
  return conclude(session, run, ({ answer }) => {
    if (answer.toString("utf8", 0, 16).trim() === "") return { state: undefined, bytes: answer };
    return { state: parseState(answer.toString()), bytes: answer };
  });
}

/** Stores a state; only with `force` one that is older, or another stack's. */
export async function pushState(
  session: Session,
  bytes: Uint8Array,
  options: { force?: boolean } = {},
): Promise<CommandOutcome<void>> {
  const file = join(session.ownDirectory, `${createUid(session.clock.now())}.tfstate`);
  writeFileSync(file, bytes, { mode: 0o600 });
  try {
    return conclude(session, await runPush(session, file, options.force === true), () => undefined);
  } finally {
    rmSync(file, { force: true });
  }
}

/** Stores the state that an earlier command had to leave in a file; the file is gone only after that. */
export async function pushErroredState(session: Session): Promise<CommandOutcome<void>> {
  const errored = findErroredState(session.directory);
  if (errored === undefined) throw new Fault(terraformFaults.bad_option, "there is no state that could not be saved");
  const run = await runPush(session, errored.path, false);
  if (run.fault === undefined) rmSync(errored.path);
  return conclude(session, run, () => undefined);
}

/** Forgets resources without removing them. */
export async function removeFromState(session: Session, addresses: readonly string[]): Promise<CommandOutcome<void>> {
  // `state rm` knows no -input.
  const args = ["state", "rm", "-no-color", ...listLockArguments(session), ...addresses.map(requireAddress)];
  return conclude(session, await runCommand(session, { name: "state rm", args, output: "text" }), () => undefined);
}

/** Takes something that exists under a resource's address into the state. */
export async function importResource(session: Session, address: string, id: string): Promise<CommandOutcome<void>> {
  const args = ["import", "-input=false", "-no-color", ...listLockArguments(session), "--", requireAddress(address), id];
  return conclude(session, await runCommand(session, { name: "import", args, output: "text" }), () => undefined);
}

/** Breaks the lock of this id. With an `http` backend the id is not sent: the door decides by who asks. */
export async function forceUnlock(session: Session, lockId: string): Promise<CommandOutcome<void>> {
  const args = ["force-unlock", "-no-color", "-force", "--", lockId];
  return conclude(session, await runCommand(session, { name: "force-unlock", args, output: "text" }), () => undefined);
}

function runPush(session: Session, file: string, force: boolean): Promise<CommandRun> {
  const args = ["state", "push", "-no-color", ...listLockArguments(session), ...(force ? ["-force"] : []), file];
  return runCommand(session, { name: "state push", args, output: "text" });
}
