import type { RunJson } from "@cloudwright/api-client";
import { Fault } from "@cloudwright/platform/fault";
import type { Command } from "commander";
import type { Session } from "../connection/session.ts";
import { cliFaults } from "../faults.ts";
import { isUid, nameStack, requireStack } from "../stack-uid.ts";
import { findByUid, shortUid } from "./find-by-uid.ts";

/** All run states. Open states come first, followed by the final ones. */
export const runStates = [
  "PLANNING",
  "PLANNED",
  "NEEDS_APPROVAL",
  "APPLYING",
  "DONE",
  "FAILED",
  "CANCELLED",
  "DISCARDED",
  "STALE",
] as const;

const open: ReadonlySet<string> = new Set(["PLANNING", "PLANNED", "NEEDS_APPROVAL", "APPLYING"]);

export function addRunArgument(command: Command): Command {
  return command.argument(
    "<run>",
    "uid, at least 6 characters of its beginning or end, or KIND/NAME for the entity's newest run",
  );
}

/** Finds a run by its full or partial uid, or finds the newest run of an entity. */
export async function requireRun(session: Session, text: string): Promise<RunJson> {
  const { client, project, world } = session;
  const { signal } = world;
  if (isUid(text)) return client.runs.get(project, text, { signal });
  if (!text.includes("/")) return findByUid("run", text, client.runs.listAll(project, { pageSize: 1000, signal }));
  const { items } = await client.runs.list(project, { entity: await requireStack(session, text), pageSize: 1, signal });
  if (items[0] === undefined) throw new Fault(cliFaults.unknown_uid, `${text} has no runs yet`);
  return items[0];
}

export function isOpenRun({ state = "" }: RunJson): boolean {
  return open.has(state);
}

/** Renders a run for messages, such as `run 0123456789ab of cluster/dev`. */
export function nameRun(run: RunJson): string {
  return `run ${shortUid(run.uid)} of ${nameStack(run)}`;
}

/** Renders a command that acts on a run, with the flags that this session needs. */
export function renderRunCommand(session: Session, verb: string, { uid, project = session.project }: RunJson): string {
  const where = session.projectIsExplicit || project !== session.project ? ` -p ${project}` : "";
  return `cloud${where} run ${verb} ${shortUid(uid)}`;
}
