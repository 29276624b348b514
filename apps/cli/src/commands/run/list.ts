import type { RunJson } from "@cloudwright/api-client";
import { Option } from "commander";
import { addExamples, onServer, type Configure } from "../../command-context.ts";
import { parseCount } from "../../list-flags.ts";
import { isStructured } from "../../output/output.ts";
import { printRuns } from "../../runs/print-runs.ts";
import { runStates } from "../../runs/run.ts";
import { requireStack } from "../../stack-uid.ts";

const unlessSaid = 100;

/** `cloud run list`: lists the runs of the project, newest first. */
export const configureRunList: Configure = (command, context) => {
  command
    .option("--entity <entity>", "show only runs of this entity: KIND/NAME or a uid")
    .addOption(new Option("--state <state>", "show only runs in this state").choices(runStates))
    .option("--limit <number>", `number of most recent runs to show (default: ${unlessSaid})`, parseCount);
  addExamples(
    command,
    "cloud run list",
    "cloud run list --state NEEDS_APPROVAL",
    "cloud run list --entity cluster/dev -o wide",
    "cloud run list -o jsonpath='{.items[*].uid}'",
  );
  onServer(command, context, async (session, _args, flags) => {
    const { client, output, project, world } = session;
    const limit = (flags["limit"] as number | undefined) ?? unlessSaid;
    const given = flags["entity"] as string | undefined;
    const query = {
      entity: given === undefined ? undefined : await requireStack(session, given),
      state: flags["state"] as string | undefined,
      pageSize: Math.min(limit, 1000),
      signal: world.signal,
    };
    const runs: RunJson[] = [];
    for await (const run of client.runs.listAll(project, query)) if (runs.push(run) >= limit) break;
    if (runs.length > 0 || isStructured(output.format)) return printRuns(session, runs, "list");
    output.note(
      `no ${query.state === undefined ? "" : `${query.state} `}runs ${given === undefined ? `in project ${project}` : `for ${given}`}`,
    );
  });
};
