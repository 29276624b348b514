import type { DriftItemJson, DriftJson } from "@cloudwright/api-client";
import type { Command } from "commander";
import type { Session } from "../connection/session.ts";
import { renderAge } from "../output/age.ts";
import { isStructured } from "../output/output.ts";
import { flatten, type Column } from "../output/table.ts";
import { isUid, nameStack, requireStack } from "../stack-uid.ts";
import { findByUid, shortUid } from "./find-by-uid.ts";
import { renderAttributes, type PlanLook } from "./render-attributes.ts";

export function addDriftArgument(command: Command): Command {
  return command.argument(
    "<drift>",
    "uid, at least 6 characters of its beginning or end, or KIND/NAME for the entity's newest report",
  );
}

/** Finds a drift report by its full or partial uid, or finds the newest report of an entity. */
export async function requireDrift(session: Session, text: string): Promise<DriftJson> {
  const { client, project, world } = session;
  const { signal } = world;
  if (!isUid(text) && !text.includes("/"))
    return findByUid("drift report", text, client.drifts.listAll(project, { all: true, pageSize: 1000, signal }));
  return client.drifts.get(project, await requireStack(session, text), { signal });
}

/** Renders a changed resource as `~ TYPE.NAME: tags, cidr`, and a deleted one as `- TYPE.NAME`. */
function renderDriftItem({ address = "", action = "", paths = [] }: DriftItemJson): string {
  if (action === "delete") return flatten(`- ${address}`);
  return flatten(`~ ${address}${paths.length === 0 ? "" : `: ${paths.join(", ")}`}`);
}

/** Renders a changed resource: who changed it, then the old and new value of each attribute, one attribute per line. */
export function renderDriftDetails(item: DriftItemJson, look: PlanLook): string[] {
  const { author = "", authorAction = "", changedAt, action = "update", attributes = [] } = item;
  const what = authorAction === "" ? "" : ` (${authorAction})`;
  const by = author === "" ? [] : [flatten(`changed by ${author}${what}${changedAt === undefined ? "" : ` at ${changedAt}`}`)];
  return [renderDriftItem(item), ...[...by, ...renderAttributes({ action, attributes }, look)].map((line) => `    ${line}`)];
}

/** Prints drift reports as a table or in the selected format. */
export async function printDrifts({ output, world }: Session, drifts: readonly DriftJson[], as: "list" | "one"): Promise<void> {
  if (isStructured(output.format)) return output.structure(as === "one" ? drifts[0] : { items: drifts });
  if (output.format === "name") return drifts.forEach(({ uid = "" }) => output.line(uid));
  const nowMs = world.clock.now();
  const columns: Column<DriftJson>[] = [
    { title: "DRIFT", value: ({ uid }) => shortUid(uid) },
    { title: "ENTITY", value: nameStack },
    { title: "STATE", value: ({ state = "" }) => state, paint: output.paint.phase },
    { title: "RESOURCES", value: ({ items = [] }) => String(items.length) },
    { title: "DELETED", value: ({ items = [] }) => String(items.filter(({ action }) => action === "delete").length) },
    { title: "IGNORED", value: ({ ignored = 0 }) => String(ignored) },
    { title: "FOUND", value: ({ foundAt }) => renderAge(foundAt, nowMs) },
    { title: "ENDED", value: ({ endedAt }) => renderAge(endedAt, nowMs), wide: true },
    { title: "TASK", value: ({ task = "" }) => task, wide: true },
    { title: "UID", value: ({ uid = "" }) => uid, wide: true },
  ];
  output.table(
    columns.filter(({ wide }) => wide !== true || output.format === "wide"),
    drifts,
  );
}

/** Prints the result of an action on a drift report: one line, or the report in the selected format. */
export async function printDriftDone(session: Session, drift: DriftJson, done: string): Promise<void> {
  if (session.output.isChosen) await printDrifts(session, [drift], "one");
  else session.output.done(`drift in ${nameStack(drift)} ${done}`);
}
