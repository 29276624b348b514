import type { RecordKey, SimulatedCloudJson } from "@cloudwright/api-client";
import { Fault } from "@cloudwright/platform/fault";
import { InvalidArgumentError, type Command } from "commander";
import type { FlagValues } from "../../command-context.ts";
import type { Session } from "../../connection/session.ts";
import { cliFaults } from "../../faults.ts";
import { isStructured } from "../../output/output.ts";

/** Adds the flag that names the account. */
export function addAccountFlag(command: Command): Command {
  return command.option("--account <name>", "the simulated account; not needed where the project has only one");
}

/** The account that is meant: the one that was named, or the only simulated one. */
export async function requireAccount({ client, project, world }: Session, flags: FlagValues): Promise<string> {
  if (typeof flags["account"] === "string") return flags["account"];
  const names: string[] = [];
  for await (const { metadata, spec } of client.accounts.listAll(project, { signal: world.signal }))
    if (spec?.simulated === true) names.push(metadata.name);
  const [only] = names;
  if (only !== undefined && names.length === 1) return only;
  const found = only === undefined ? "has no simulated account" : `has several simulated accounts: ${names.join(", ")}`;
  throw new Fault(cliFaults.usage, `project ${project} ${found}; say which with --account`);
}

/** Adds the argument that names a record. */
export function addRecordArgument(command: Command): Command {
  return command.argument("<record>", "TYPE/ID, as `cloud sim inventory -o name` lists them", checkRecord);
}

function checkRecord(text: string): string {
  if (!/^[^/]+\/.+$/s.test(text)) throw new InvalidArgumentError("It takes TYPE/ID, such as aws_vpc/vpc-0a1b2c.");
  return text;
}

/** Type and id of `TYPE/ID`; ids may have slashes of their own. */
export function parseRecord(text: string): RecordKey {
  const slash = text.indexOf("/");
  return { type: text.slice(0, slash), id: text.slice(slash + 1) };
}

/** Tells how a simulated cloud behaves now: all of it where a format was asked for, else what was done to it. */
export async function printCloud({ output }: Session, cloud: SimulatedCloudJson, done: string): Promise<void> {
  if (isStructured(output.format)) return output.structure(cloud);
  if (output.format === "name") return output.line(`account/${cloud.account ?? ""}`);
  output.done(`simulated account/${cloud.account ?? ""}: ${done}`);
}
