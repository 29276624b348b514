import type { SimulatedFaultJson } from "@cloudwright/api-client";
import { Fault } from "@cloudwright/platform/fault";
import { addExamples, onServer, type Configure } from "../../command-context.ts";
import { cliFaults } from "../../faults.ts";
import { renderAge } from "../../output/age.ts";
import { isStructured } from "../../output/output.ts";
import { flatten } from "../../output/table.ts";
import { addAccountFlag, printCloud, requireAccount } from "./account.ts";

/** `cloud sim faults`: lists pending simulated faults. With `--clear`, removes them. */
export const configureSimFaults: Configure = (command, context) => {
  addAccountFlag(command.argument("[uids...]", "with --clear: remove only these faults")).option(
    "--clear",
    "remove pending faults (default: all)",
  );
  addExamples(command, "cloud sim faults --account sandbox", "cloud sim faults -o json", "cloud sim faults --clear");
  onServer(command, context, async (session, uids, flags) => {
    const { client, output, project, world } = session;
    const { signal } = world;
    if (flags["clear"] !== true && uids.length > 0) throw new Fault(cliFaults.usage, "uids require --clear");
    const account = await requireAccount(session, flags);
    if (flags["clear"] === true) {
      if (uids.length === 0) {
        const cloud = await client.simulations.clear(project, account, { signal });
        return printCloud(session, cloud, "all pending faults removed");
      }
      for (const uid of uids) {
        const cloud = await client.simulations.clear(project, account, { uid, signal });
        await printCloud(session, cloud, `fault ${uid} removed`);
      }
      return;
    }
    const items: SimulatedFaultJson[] = [];
    for await (const fault of client.simulations.faults(project, account, { signal })) items.push(fault);
    if (isStructured(output.format)) return output.structure({ items, simulated: true });
    if (output.format === "name") return items.forEach(({ uid = "" }) => output.line(uid));
    if (items.length === 0) return output.note(`no pending faults in the simulated cloud of account ${account}`);
    const nowMs = world.clock.now();
    const columns = [
      { title: "SIMULATED FAULT", value: renderWhat },
      { title: "CALLS", value: renderMoment },
      { title: "STATE", value: ({ state = "" }: SimulatedFaultJson) => state },
      { title: "SEEN", value: ({ seen = 0 }: SimulatedFaultJson) => String(seen) },
      { title: "AGE", value: ({ createdAt }: SimulatedFaultJson) => renderAge(createdAt, nowMs) },
      { title: "ACTOR", value: ({ actor = "" }: SimulatedFaultJson) => actor, wide: true },
      { title: "UID", value: ({ uid = "" }: SimulatedFaultJson) => uid, wide: true },
    ];
    output.table(
      columns.filter(({ wide }) => wide !== true || output.format === "wide"),
      items,
    );
  });
};

/** Describes the effect of a simulated fault, such as an error or a delay. */
export function renderWhat({ kind = "", message = "", delayMs = 0, afterEffect = false }: SimulatedFaultJson): string {
  if (kind === "error") return flatten(`error "${message}"${afterEffect ? " after the call" : ""}`);
  return kind === "slow" ? `delay of ${delayMs}ms` : kind;
}

/** Renders the calls that a simulated fault affects, such as `create calls 2-3 of TYPE`. */
export function renderMoment({ operation = "", type = "", nth = 1, times = 1 }: SimulatedFaultJson): string {
  const which = times > 1 ? `calls ${nth}-${nth + times - 1}` : `call ${nth}`;
  return flatten(`${operation} ${which} of ${type === "" ? "any type" : type}`);
}
