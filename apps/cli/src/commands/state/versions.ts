import type { StateVersionJson } from "@cloudwright/api-client";
import { addExamples, onServer, type Configure } from "../../command-context.ts";
import { parseCount } from "../../list-flags.ts";
import { renderAge } from "../../output/age.ts";
import { isStructured } from "../../output/output.ts";
import { requireStack } from "../../stack-uid.ts";
import { addStackArgument } from "./stack.ts";

/** `cloud state versions cluster/dev`: lists the versions of a state, newest first. */
export const configureStateVersions: Configure = (command, context) => {
  addStackArgument(command).option("--limit <number>", "number of most recent versions to show", parseCount);
  addExamples(command, "cloud state versions cluster/dev", "cloud state versions cluster/dev --limit 5 -o wide");
  onServer(command, context, async (session, [entity = ""], flags) => {
    const { client, output, project, world } = session;
    const limit = (flags["limit"] as number | undefined) ?? Infinity;
    const query = { signal: world.signal, ...(limit === Infinity ? {} : { pageSize: Math.min(limit, 1000) }) };
    const items: StateVersionJson[] = [];
    for await (const version of client.states.versions(project, await requireStack(session, entity), query))
      if (items.push(version) >= limit) break;
    if (isStructured(output.format)) return output.structure({ items });
    if (output.format === "name") return items.forEach(({ version }) => output.line(String(version)));
    if (items.length === 0) return output.note(`${entity} has no state yet`);
    const nowMs = world.clock.now();
    const columns = [
      { title: "VERSION", value: ({ version = 0 }: StateVersionJson) => String(version) },
      { title: "SERIAL", value: ({ serial = 0 }: StateVersionJson) => String(serial) },
      { title: "AGE", value: ({ createdAt }: StateVersionJson) => renderAge(createdAt, nowMs) },
      { title: "RESOURCES", value: renderResources },
      { title: "ACTOR", value: ({ actor = "" }: StateVersionJson) => actor },
      { title: "OPERATION", value: ({ operation = "" }: StateVersionJson) => operation },
      { title: "BYTES", value: ({ sizeBytes = 0 }: StateVersionJson) => String(sizeBytes), wide: true },
      { title: "MD5", value: ({ md5 = "" }: StateVersionJson) => md5, wide: true },
      { title: "LINEAGE", value: ({ lineage = "" }: StateVersionJson) => lineage, wide: true },
    ];
    output.table(
      columns.filter(({ wide }) => wide !== true || output.format === "wide"),
      items,
    );
  });
};

function renderResources({ deleted = false, resources = 0, rolledBackTo = 0 }: StateVersionJson): string {
  if (deleted) return "deleted";
  return rolledBackTo > 0 ? `${resources} (copy of version ${rolledBackTo})` : String(resources);
}
