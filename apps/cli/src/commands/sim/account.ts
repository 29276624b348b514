import type { RecordKey, SimulatedCloudJson } from "@cloudwright/api-client";
import { Fault } from "@cloudwright/platform/fault";
import { InvalidArgumentError, type Command } from "commander";
import type { FlagValues } from "../../command-context.ts";
import type { Session } from "../../connection/session.ts";
import { cliFaults } from "../../faults.ts";
import { isStructured } from "../../output/output.ts";

export function addAccountFlag(command: Command): Command {
  return command.option("--account <name>", "simulated account; not needed if the project has only one");
}

/** Returns the account given by `--account`, or the only simulated account of the project. */
export async function requireAccount({ client, project, world }: Session, flags: FlagValues): Promise<string> {
  if (typeof flags["account"] === "string") return flags["account"];
  const names: string[] = [];
  for await (const { metadata, spec } of client.accounts.listAll(project, { signal: world.signal }))
    if (spec?.simulated === true) names.push(metadata.name);
  const [only] = names;
  if (only !== undefined && names.length === 1) return only;
  const found =
    only === undefined
      ? "has no simulated account"
      : `has several simulated accounts (${names.join(", ")}); select one with --account`;
  throw new Fault(cliFaults.usage, `project ${project} ${found}`);
}

export function addRecordArgument(command: Command): Command {
  return command.argument("<record>", "TYPE/ID, as listed by `cloud sim inventory -o name`", checkRecord);
}

function checkRecord(text: string): string {
  if (!/^[^/]+\/.+$/s.test(text)) throw new InvalidArgumentError("Use TYPE/ID, as listed by `cloud sim inventory -o name`.");
  return text;
}

/** Parses `TYPE/ID`. The id may itself contain slashes. */
export function parseRecord(text: string): RecordKey {
  const slash = text.indexOf("/");
  return { type: text.slice(0, slash), id: text.slice(slash + 1) };
}

/** Prints the settings of a simulated cloud in the selected format. Without a format, prints `done` as a single line. */
export async function printCloud({ output }: Session, cloud: SimulatedCloudJson, done: string): Promise<void> {
  if (isStructured(output.format)) return output.structure(cloud);
  if (output.format === "name") return output.line(`account/${cloud.account ?? ""}`);
  output.done(`simulated account/${cloud.account ?? ""}: ${done}`);
}
