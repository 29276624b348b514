import type { StateJson } from "@cloudwright/api-client";
import { addExamples, onServer, type Configure } from "../../command-context.ts";
import { renderAge } from "../../output/age.ts";
import { isStructured } from "../../output/output.ts";
import { nameStack } from "../../stack-uid.ts";

/** `cloud state list`: lists the Terraform states of the project. */
export const configureStateList: Configure = (command, context) => {
  addExamples(command, "cloud state list", "cloud state list -o wide", "cloud state list -o json");
  onServer(command, context, async ({ client, output, project, world }) => {
    const items: StateJson[] = [];
    for await (const state of client.states.listAll(project, { signal: world.signal })) items.push(state);
    if (isStructured(output.format)) return output.structure({ items });
    if (output.format === "name") return items.forEach((state) => output.line(nameStack(state)));
    if (items.length === 0) return output.note(`no states in project ${project}`);
    const nowMs = world.clock.now();
    const columns = [
      { title: "ENTITY", value: nameStack },
      { title: "VERSION", value: ({ newest }: StateJson) => String(newest?.version ?? "") },
      { title: "SERIAL", value: ({ newest }: StateJson) => String(newest?.serial ?? ""), wide: true },
      {
        title: "RESOURCES",
        value: ({ newest }: StateJson) => (newest?.deleted === true ? "deleted" : String(newest?.resources ?? 0)),
      },
      { title: "CHANGED", value: ({ newest }: StateJson) => renderAge(newest?.createdAt, nowMs) },
      { title: "LOCKED BY", value: renderHolder },
      { title: "UID", value: ({ entityUid = "" }: StateJson) => entityUid, wide: true },
    ];
    output.table(
      columns.filter(({ wide }) => wide !== true || output.format === "wide"),
      items,
    );
  });
};

function renderHolder({ lock }: StateJson): string {
  if (lock === undefined) return "";
  return lock.alive === true ? `${lock.who ?? ""} (task ${lock.task ?? ""})` : "orphaned: the holder is gone";
}
