import type { RunJson } from "@cloudwright/api-client";
import type { Session } from "../connection/session.ts";
import { renderAge } from "../output/age.ts";
import { isStructured } from "../output/output.ts";
import type { Column } from "../output/table.ts";
import { nameStack } from "../stack-uid.ts";
import { renderCountsBriefly } from "./counts.ts";
import { shortUid } from "./find-by-uid.ts";
import { nameRun } from "./run.ts";

/** Prints runs as a table or in the selected format. */
export async function printRuns({ output, world }: Session, runs: readonly RunJson[], as: "list" | "one"): Promise<void> {
  if (isStructured(output.format)) return output.structure(as === "one" ? runs[0] : { items: runs });
  if (output.format === "name") return runs.forEach(({ uid = "" }) => output.line(uid));
  const nowMs = world.clock.now();
  const columns: Column<RunJson>[] = [
    { title: "RUN", value: ({ uid }) => shortUid(uid) },
    { title: "ENTITY", value: nameStack },
    { title: "PURPOSE", value: ({ purpose = "" }) => purpose },
    { title: "STATE", value: ({ state = "" }) => state, paint: output.paint.phase },
    { title: "CHANGES", value: ({ counts }) => renderCountsBriefly(counts) },
    { title: "OPERATION", value: ({ operation = "" }) => operation },
    { title: "AGE", value: ({ createdAt }) => renderAge(createdAt, nowMs) },
    { title: "DECIDED BY", value: ({ approvedBy = "", discardedBy = "" }) => discardedBy || approvedBy, wide: true },
    { title: "EXPIRES", value: ({ expiresAt = "", state }) => (state === "NEEDS_APPROVAL" ? expiresAt : ""), wide: true },
    { title: "UID", value: ({ uid = "" }) => uid, wide: true },
    { title: "MESSAGE", value: ({ message = "" }) => message },
  ];
  output.table(
    columns.filter(({ wide }) => wide !== true || output.format === "wide"),
    runs,
  );
}

/** Prints the result of an action on a run: one line, or the run in the selected format. */
export async function printRunDone(session: Session, run: RunJson, done: string): Promise<void> {
  if (session.output.isChosen) await printRuns(session, [run], "one");
  else session.output.done(`${nameRun(run)} ${done}`);
}
