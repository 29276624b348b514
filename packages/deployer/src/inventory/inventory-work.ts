import { Fault } from "@cloudwright/platform";
import type { OpenCloud } from "../cloud.ts";
import { createTaskSession } from "../executor/task-session.ts";
import { deployerFaults } from "../faults.ts";
import { textOf } from "../read-spec.ts";
import { requireEntity, type DeployedAccount, type DeployerOutcome, type DeployerTask, type JsonObject } from "../task.ts";
import { readInventorySecrets, renderMachine } from "./machine-access.ts";

/** Connects to the hosts of an inventory, for the first check after a change (`verify`) and for later ones (`findDrift`). */
export async function checkInventory(
  deps: { readonly openCloud: OpenCloud },
  task: DeployerTask,
  account: DeployedAccount,
  action: "verify" | "findDrift",
): Promise<DeployerOutcome> {
  const { spec } = requireEntity(task, "Inventory");
  const session = createTaskSession(deps, task, account);
  try {
    const cloud = await session.openCloud();
    if (cloud.checkMachines === undefined) {
      throw new Fault(deployerFaults.not_supported, `the account "${account.name}" cannot have inventories`);
    }
    const secrets = readInventorySecrets(await session.openEndpoint());
    task.progress(10, `connecting to ${spec.hosts.length === 1 ? "1 host" : `${spec.hosts.length} hosts`}`);
    const machines = spec.hosts.map((host) => renderMachine(spec, host, secrets));
    const hosts = (await cloud.checkMachines(machines, task.signal)).map(({ report }) => report);
    const summary = summarise(hosts);
    if (action === "findDrift")
      return { outcome: "done", outputs: { drifted: false, summary, message: summary, observed: { hosts } } };
    // Findings of a successful task are warnings.
    const findings = hosts
      .filter(({ state }) => state !== "READY")
      .map(({ name, message }) => ({
        field: `spec.hosts.${textOf(name)}`,
        severity: "should",
        message: `${textOf(name)}: ${textOf(message)}`,
        help: "",
      }));
    return { outcome: "done", outputs: { hosts, ...(findings.length === 0 ? {} : { findings }) } };
  } catch (error) {
    throw session.explain(error);
  } finally {
    await session.close();
  }
}

function summarise(hosts: readonly JsonObject[]): string {
  const others = hosts.filter(({ state }) => state !== "READY").map(({ name, state }) => `${textOf(name)} is ${textOf(state)}`);
  const ready = `${hosts.length - others.length} of ${hosts.length} hosts are READY`;
  return others.length === 0
    ? ready
    : `${ready}; ${others.slice(0, 5).join(", ")}${others.length > 5 ? ` and ${others.length - 5} more` : ""}`;
}
