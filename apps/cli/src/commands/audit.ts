import type { AuditRecordJson } from "@cloudwright/api-client";
import { addExamples, onServer, type Configure } from "../command-context.ts";
import { parseCount } from "../list-flags.ts";
import { renderAge } from "../output/age.ts";
import { isStructured } from "../output/output.ts";

/** `cloud audit`: lists audit records, newest last. */
export const configureAudit: Configure = (command, context) => {
  command
    .option("--filter <fields>", "show only records that match these fields, such as actor=ann,outcome=denied,kind=Cluster")
    .option("--limit <number>", "number of most recent records to show (default: 100)", parseCount);
  addExamples(command, "cloud audit --limit 20", "cloud audit --filter outcome=denied -o wide");
  onServer(command, context, async ({ client, output, project, world }, _args, flags) => {
    const limit = (flags["limit"] as number | undefined) ?? 100;
    const records: AuditRecordJson[] = [];
    const query = { filter: flags["filter"] as string | undefined, pageSize: Math.min(limit, 1000), signal: world.signal };
    for await (const record of client.auditRecords.listAll(project, query)) if (records.push(record) >= limit) break;
    const items = records.toReversed();
    if (isStructured(output.format)) return output.structure({ items });
    if (items.length === 0) return output.note(`no audit records in project ${project}`);
    const nowMs = world.clock.now();
    const columns = [
      { title: "AGE", value: ({ at }: AuditRecordJson) => renderAge(at, nowMs) },
      { title: "OUTCOME", value: ({ outcome = "" }: AuditRecordJson) => outcome, paint: output.paint.phase },
      { title: "ACTOR", value: ({ actor = "" }: AuditRecordJson) => actor },
      { title: "VERB", value: ({ verb = "" }: AuditRecordJson) => verb },
      { title: "ENTITY", value: ({ kind = "", name = "" }: AuditRecordJson) => `${kind.toLowerCase()}/${name}` },
      { title: "CODE", value: ({ code = "" }: AuditRecordJson) => code },
      { title: "SOURCE", value: ({ source = "" }: AuditRecordJson) => source, wide: true },
      { title: "CREDENTIAL", value: ({ credential = "" }: AuditRecordJson) => credential, wide: true },
      { title: "REQUEST", value: ({ requestId = "" }: AuditRecordJson) => requestId, wide: true },
    ];
    output.table(
      columns.filter(({ wide }) => wide !== true || output.format === "wide"),
      items,
    );
  });
};
