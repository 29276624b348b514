import { defaultCloud, getCloud } from "@cloudwright/contract/clouds";
import type { SimulatedRecordJson } from "@cloudwright/api-client";
import { addExamples, onServer, type Configure } from "../../command-context.ts";
import type { Session } from "../../connection/session.ts";
import { renderAge } from "../../output/age.ts";
import { isStructured } from "../../output/output.ts";
import { flatten } from "../../output/table.ts";
import { requireStack } from "../../stack-uid.ts";
import { addAccountFlag, parseRecord, requireAccount } from "./account.ts";

const { network, subnet } = getCloud(defaultCloud).examples;

/**
 * `cloud sim inventory`: lists the resources of a simulated cloud, optionally filtered by type or entity. With TYPE/ID, shows one resource.
 */
export const configureSimInventory: Configure = (command, context) => {
  addAccountFlag(
    command.argument("[type]", "TYPE to list all resources of a type, or TYPE/ID to show one resource with its attributes"),
  ).option("--entity <entity>", "show only resources of this entity: KIND/NAME or a uid");
  addExamples(
    command,
    "cloud sim inventory --account sandbox",
    `cloud sim inventory ${subnet.type} -o wide`,
    "cloud sim inventory --entity network/main",
    `cloud sim inventory ${network.type}/${network.id} -o yaml`,
  );
  onServer(command, context, async (session, [type], flags) => {
    const { client, output, project, world } = session;
    const account = await requireAccount(session, flags);
    if (type?.includes("/") === true) {
      const record = await client.simulations.record(project, account, parseRecord(type), { signal: world.signal });
      return printRecord(session, record);
    }
    const entity = flags["entity"];
    const entityUid = typeof entity === "string" ? await requireStack(session, entity) : undefined;
    const items: SimulatedRecordJson[] = [];
    for await (const record of client.simulations.records(project, account, { type, entityUid, signal: world.signal }))
      items.push(record);
    if (isStructured(output.format)) return output.structure({ items, simulated: true });
    if (output.format === "name") return items.forEach((record) => output.line(nameRecord(record)));
    if (items.length === 0) return output.note(`no matching resources in the simulated cloud of account ${account}`);
    const nowMs = world.clock.now();
    const columns = [
      { title: "SIMULATED", value: nameRecord },
      { title: "NAME", value: nameOf },
      { title: "CHANGED", value: ({ changedAt }: SimulatedRecordJson) => renderAge(changedAt, nowMs) },
      { title: "ENTITY", value: ownerOf, wide: true },
    ];
    output.table(
      columns.filter(({ wide }) => wide !== true || output.format === "wide"),
      items,
    );
  });
};

/** Prints the attributes of one resource as JSON, one per line. */
export async function printRecord({ output }: Session, record: SimulatedRecordJson): Promise<void> {
  if (isStructured(output.format)) return output.structure(record);
  if (output.format === "name") return output.line(nameRecord(record));
  output.line(`simulated ${nameRecord(record)}`);
  for (const [name, value] of Object.entries(record.attributes ?? {}))
    output.line(`  ${flatten(name)} = ${JSON.stringify(value)}`);
}

export function nameRecord({ type = "", id = "" }: SimulatedRecordJson): string {
  return flatten(`${type}/${id}`);
}

function nameOf({ attributes = {} }: SimulatedRecordJson): string {
  return textIn(attributes["tags"], "Name") || textIn(attributes, "name");
}

/**
 * Returns the uid of the entity that owns a resource. Reads it from the tags, the labels or, if the resource has neither, the description.
 */
function ownerOf({ attributes = {} }: SimulatedRecordJson): string {
  const labels = ["labels", "resource_labels"].map((field) => textIn(attributes[field], "cloudwright_entity"));
  const [, described = ""] = /cloudwright:entity=([^\s)]+)/.exec(textIn(attributes, "description")) ?? [];
  return [textIn(attributes["tags"], "cloudwright:entity"), ...labels, described].find((owner) => owner !== "") ?? "";
}

function textIn(map: unknown, key: string): string {
  const value = typeof map === "object" && map !== null ? (map as Readonly<Record<string, unknown>>)[key] : undefined;
  return typeof value === "string" ? value : "";
}
