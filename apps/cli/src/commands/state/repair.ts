import type { OperationJson } from "@cloudwright/contract/gen/cloudwright/v1/operation_pb.ts";
import { Fault } from "@cloudwright/platform/fault";
import type { Command } from "commander";
import type { FlagValues } from "../../command-context.ts";
import type { Session } from "../../connection/session.ts";
import { cliFaults } from "../../faults.ts";
import { renderFollowCommands } from "../../operations/operation.ts";
import { addWaitFlags, findTrouble, readWait, waitForOperations } from "../../operations/wait.ts";
import { isStructured } from "../../output/output.ts";
import { confirm } from "../../prompt.ts";

/** Adds the flags that all commands for changing one resource in a state share. */
export function addRepairFlags(command: Command, until: string, dryRun: string): void {
  command.option("-y, --yes", "skip the confirmation; required if there is no terminal").option("--dry-run", dryRun);
  addWaitFlags(command, until);
}

/**
 * Asks for confirmation. Throws if the user declines, or if there is no terminal to ask on and `--yes` is not set. A dry run needs no
 * confirmation.
 */
export async function confirmRepair(
  { world }: Pick<Session, "world">,
  { entity, what, question }: { readonly entity: string; readonly what: string; readonly question: string },
  flags: FlagValues,
): Promise<void> {
  if (flags["yes"] === true || flags["dryRun"] === true) return;
  if (!world.stdin.isTTY)
    throw new Fault(
      cliFaults.not_confirmed,
      `${entity}: ${what}, because there is no terminal to ask for confirmation; add --yes`,
    );
  if (!(await confirm(world, question))) throw new Fault(cliFaults.not_confirmed, `${entity}: ${what}`);
}

/** Prints the operation. With `--wait`, first waits for it to end, and throws if it failed. */
export async function finishRepair(
  session: Session,
  operation: OperationJson,
  { entity, action }: { readonly entity: string; readonly action: string },
  flags: FlagValues,
): Promise<void> {
  const { output, project } = session;
  const name = operation.metadata?.name ?? "";
  const wait = readWait(flags);
  const [ended] = wait === undefined ? [] : await waitForOperations(session, [{ project, name }], wait);
  const trouble = ended === undefined ? undefined : findTrouble([ended]);
  if (trouble !== undefined) throw trouble;
  if (isStructured(output.format)) return output.structure(ended ?? operation);
  if (output.format === "name") return output.line(`operation/${name}`);
  if (ended !== undefined) return output.done(`${entity}: ${ended.status?.message ?? "done"}`);
  output.done(`${entity}: ${action} started (${name})`);
  output.note(`follow it with: ${renderFollowCommands(session, [{ project, name }]).join("")}`);
}
