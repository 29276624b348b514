import type { MachineImageJson } from "@cloudwright/api-client";
import { getKind } from "@cloudwright/contract/kinds";
import type { Command } from "commander";
import type { FlagValues } from "../../command-context.ts";
import type { Session } from "../../connection/session.ts";
import { resourceOf } from "../../entities.ts";
import type { Operation } from "../../operations/operation.ts";
import { findTrouble, readWait, waitForOperations } from "../../operations/wait.ts";

/** An action on the images of an account's machine. */
export interface ImageAction {
  readonly action: "list" | "import" | "build" | "remove";
  readonly image?: string;
  readonly path?: string;
  readonly format?: string;
  readonly sha256?: string;
}

export function addAccountFlag(command: Command): void {
  command.requiredOption("--account <name>", "account of the machine");
}

/** Starts an action on the images of an account's machine and waits until the agent has completed it. Returns all images of the machine. */
export async function manageImages(session: Session, flags: FlagValues, body: ImageAction): Promise<readonly MachineImageJson[]> {
  const { signal } = session.world;
  const account = flags["account"] as string;
  const opened = await resourceOf(session, getKind("Account")).act(account, "images", { body: { ...body }, signal });
  const refs = [{ project: session.project, name: opened.metadata.name }];
  const [ended] = await waitForOperations(session, refs, { timeoutMs: readWait({ ...flags, wait: true })?.timeoutMs });
  const trouble = ended === undefined ? undefined : findTrouble([ended]);
  if (trouble !== undefined) throw trouble;
  return ((ended ?? opened) as Operation).status?.images ?? [];
}
