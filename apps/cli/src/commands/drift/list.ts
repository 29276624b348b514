import type { DriftJson } from "@cloudwright/api-client";
import { addExamples, onServer, type Configure } from "../../command-context.ts";
import { parseCount } from "../../list-flags.ts";
import { isStructured } from "../../output/output.ts";
import { printDrifts } from "../../runs/drift.ts";
import { requireStack } from "../../stack-uid.ts";

const unlessSaid = 100;

/** `cloud drift list`: lists open drift reports. With `--all`, includes resolved ones. */
export const configureDriftList: Configure = (command, context) => {
  command
    .option("--all", "include resolved reports")
    .option("--entity <entity>", "show only reports for this entity: KIND/NAME or a uid")
    .option("--limit <number>", `number of most recent reports to show (default: ${unlessSaid})`, parseCount);
  addExamples(command, "cloud drift list", "cloud drift list --all", "cloud drift list --entity cluster/dev --all -o wide");
  onServer(command, context, async (session, _args, flags) => {
    const { client, output, project, world } = session;
    const limit = (flags["limit"] as number | undefined) ?? unlessSaid;
    const given = flags["entity"] as string | undefined;
    const all = flags["all"] === true;
    const entity = given === undefined ? undefined : await requireStack(session, given);
    const query = { entity, all, pageSize: Math.min(limit, 1000), signal: world.signal };
    const drifts: DriftJson[] = [];
    for await (const drift of client.drifts.listAll(project, query)) if (drifts.push(drift) >= limit) break;
    if (drifts.length > 0 || isStructured(output.format)) return printDrifts(session, drifts, "list");
    output.note(`no ${all ? "" : "open "}drift reports ${given === undefined ? `in project ${project}` : `for ${given}`}`);
  });
};
