import type { SimulatedFaultJson } from "@cloudwright/api-client";
import { Fault } from "@cloudwright/platform/fault";
import { addExamples, onServer, type Configure } from "../../command-context.ts";
import { cliFaults } from "../../faults.ts";
import { renderAge } from "../../output/age.ts";
import { isStructured } from "../../output/output.ts";
import { flatten } from "../../output/table.ts";
import { addAccountFlag, printCloud, requireAccount } from "./account.ts";

/** `cloud sim faults`: what was planned to go wrong; with --clear it is called off. */
export const configureSimFaults: Configure = (command, context) => {
  addAccountFlag(command.argument("[uids...]", "with --clear: only these")).option("--clear", "call them off, all unless said");
  addExamples(command, "cloud sim faults --account sandbox", "cloud sim faults -o json", "cloud sim faults --clear");
  onServer(command, context, async (session, uids, flags) => {
    const { client, output, project, world } = session;
    const { signal } = world;
    if (flags["clear"] !== true && uids.length > 0) throw new Fault(cliFaults.usage, "uids are taken with --clear only");
    const account = await requireAccount(session, flags);
    if (flags["clear"] === true) {
      if (uids.length === 0) {
        const cloud = await client.simulations.clear(project, account, { signal });
        return printCloud(session, cloud, "nothing is planned to go wrong any more");
      }
      for (const uid of uids) {
        const cloud = await client.simulations.clear(project, account, { uid, signal });
        await printCloud(session, cloud, `fault ${uid} is called off`);
      }
      return;
    }
    const items: SimulatedFaultJson[] = [];
    for await (const fault of client.simulations.faults(project, account, { signal })) items.push(fault);
    if (isStructured(output.format)) return output.structure({ items, simulated: true });
    if (output.format === "name") return items.forEach(({ uid = "" }) => output.line(uid));
    if (items.length === 0) return output.note(`nothing is planned to go wrong in the simulated cloud of account ${account}`);
    const nowMs = world.clock.now();
    const columns = [
      { title: "SIMULATED FAULT", value: renderWhat },
      { title: "AT", value: renderMoment },
      { title: "STATE", value: ({ state = "" }: SimulatedFaultJson) => state },
      { title: "SEEN", value: ({ seen = 0 }: SimulatedFaultJson) => String(seen) },
      { title: "AGE", value: ({ createdAt }: SimulatedFaultJson) => renderAge(createdAt, nowMs) },
      { title: "BY", value: ({ actor = "" }: SimulatedFaultJson) => actor, wide: true },
      { title: "UID", value: ({ uid = "" }: SimulatedFaultJson) => uid, wide: true },
    ];
    output.table(
      columns.filter(({ wide }) => wide !== true || output.format === "wide"),
      items,
    );
  });
};

/** What goes wrong, in a few words. */
export function renderWhat({ kind = "", message = "", delayMs = 0, afterEffect = false }: SimulatedFaultJson): string {
  if (kind === "error") return flatten(`${afterEffect ? "done, then " : ""}error "${message}"`);
  return kind === "slow" ? `slow by ${delayMs}ms` : kind;
}

/** At which call: `create #2-3 of aws_vpc`. */
export function renderMoment({ operation = "", type = "", nth = 1, times = 1 }: SimulatedFaultJson): string {
  const which = times > 1 ? `#${nth}-${nth + times - 1}` : `#${nth}`;
  return flatten(`${operation} ${which} of ${type === "" ? "anything" : type}`);
}
