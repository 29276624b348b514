import { createUid, Fault } from "@cloudwright/platform";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { terraformFaults } from "../../faults.ts";
import { parseState, type TerraformState } from "../../reading/state.ts";
import type { CommandOutcome } from "../command-report.ts";
import { conclude } from "../conclude.ts";
import { findErroredState } from "../errored-state.ts";
import { withImportTarget } from "../import-files.ts";
import { runCommand, type CommandRun } from "../run-command.ts";
import type { Session } from "../session.ts";
import { listLockArguments, requireAddress } from "./arguments.ts";

/** A stored state in raw and parsed form. */
export interface PulledState {
  /** Undefined if no state was ever stored. */
  readonly state: TerraformState | undefined;
  /** Contains secrets in plain text. */
  readonly bytes: Buffer;
}

/** Lists the addresses of all resources in the state. */
export async function listState(session: Session): Promise<CommandOutcome<readonly string[]>> {
  const run = await runCommand(session, { name: "state list", args: ["state", "list", "-no-color"], output: "answer" });
  // Terraform reports a missing state as an error.
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

export async function pullState(session: Session): Promise<CommandOutcome<PulledState>> {
  const run = await runCommand(session, { name: "state pull", args: ["state", "pull", "-no-color"], output: "answer" });
  return conclude(session, run, ({ answer }) => {
    if (answer.toString("utf8", 0, 16).trim() === "") return { state: undefined, bytes: answer };
    return { state: parseState(answer.toString()), bytes: answer };
  });
}

/** Stores a state. `force` allows an older state or the state of a different stack. */
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

/** Stores the state that an earlier command left in a local file. The file is deleted only after the state is stored. */
export async function pushErroredState(session: Session): Promise<CommandOutcome<void>> {
  const errored = findErroredState(session.directory);
  if (errored === undefined) throw new Fault(terraformFaults.bad_option, "there is no unsaved state");
  const run = await runPush(session, errored.path, false);
  if (run.fault === undefined) rmSync(errored.path);
  return conclude(session, run, () => undefined);
}

/** Removes resources from the state without destroying them. */
export async function removeFromState(session: Session, addresses: readonly string[]): Promise<CommandOutcome<void>> {
  // `state rm` does not accept -input.
  const args = ["state", "rm", "-no-color", ...listLockArguments(session), ...addresses.map(requireAddress)];
  return conclude(session, await runCommand(session, { name: "state rm", args, output: "text" }), () => undefined);
}

/**
 * Imports an existing resource into the state under an address. This works even if the configuration no longer contains the address, or
 * if other resources are missing from the state.
 */
export async function importResource(session: Session, address: string, id: string): Promise<CommandOutcome<void>> {
  const args = ["import", "-input=false", "-no-color", ...listLockArguments(session), "--", requireAddress(address), id];
  const runImport = (): Promise<CommandRun> => runCommand(session, { name: "import", args, output: "text" });
  const plain = await runImport();
  const isFinal = plain.fault === undefined || plain.cancelled || isMissing(plain.fault);
  // The retry removes all outputs from the state, and the next plan must restore them. The retry therefore runs only if the plain import
  // fails.
  const run = isFinal ? plain : await withImportTarget(session.directory, address, runImport);
  return conclude(session, run, () => undefined);
}

/** Breaks the lock with this ID. An `http` backend does not send the ID, so its endpoint decides based on the caller. */
export async function forceUnlock(session: Session, lockId: string): Promise<CommandOutcome<void>> {
  const args = ["force-unlock", "-no-color", "-force", "--", lockId];
  return conclude(session, await runCommand(session, { name: "force-unlock", args, output: "text" }), () => undefined);
}

function runPush(session: Session, file: string, force: boolean): Promise<CommandRun> {
  const args = ["state", "push", "-no-color", ...listLockArguments(session), ...(force ? ["-force"] : []), file];
  return runCommand(session, { name: "state push", args, output: "text" });
}

// A resource that does not exist cannot be imported, regardless of the configuration.
function isMissing({ message }: Fault): boolean {
  return /non-existent remote object/i.test(message);
}
