import type { FlagValues } from "../command-context.ts";
import type { Session } from "../connection/session.ts";
import { isStructured } from "../output/output.ts";
import { renderFollowCommands } from "./operation.ts";
import { findTrouble, readWait, waitForOperations } from "./wait.ts";

/** With `--wait`, waits for an operation and throws if it failed. Otherwise prints the command to follow it. */
export async function settleOperation(
  session: Session,
  { name, done }: { readonly name: string | undefined; readonly done: string },
  flags: FlagValues,
): Promise<void> {
  if (name === undefined || name === "") return;
  const { output, project } = session;
  const refs = [{ project, name }];
  const wait = readWait(flags);
  const text = wait === undefined ? `follow progress with: ${renderFollowCommands(session, refs).join("")}` : `${done}; waiting`;
  if (!isStructured(output.format)) output.note(text);
  const trouble = wait === undefined ? undefined : findTrouble(await waitForOperations(session, refs, wait));
  if (trouble !== undefined) throw trouble;
}
