import type { MachineAccess, MachineReport } from "@cloudwright/clouds";
import { readFacts } from "@cloudwright/hosts";
import { describeError, Fault, systemClock, type JsonObject } from "@cloudwright/platform";
import { scanHostKeys, sshFaults } from "@cloudwright/ssh";
import { createHash } from "node:crypto";
import { readPower } from "./machine-power.ts";
import { withMachine } from "./machine-shell.ts";

const concurrent = 8;
const scanMs = 15_000;
const mostMessage = 500;

/** Connects to machines, a few at a time, and reports what it finds. A machine that cannot be reached is a finding, not an error. */
export async function checkMachines(machines: readonly MachineAccess[], signal: AbortSignal): Promise<readonly MachineReport[]> {
  const reports: MachineReport[] = [];
  const queue = [...machines.entries()];
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [index, machine] = next;
      reports[index] = { name: machine.name, report: await checkMachine(machine, signal) };
      signal.throwIfAborted();
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrent, machines.length) }, work));
  return reports;
}

async function checkMachine(machine: MachineAccess, signal: AbortSignal): Promise<JsonObject> {
  const [login, power] = await Promise.all([checkLogin(machine, signal), checkController(machine, signal)]);
  return { name: machine.name, checkedAt: new Date(systemClock.now()).toISOString(), ...login, ...power };
}

async function checkLogin(machine: MachineAccess, signal: AbortSignal): Promise<JsonObject> {
  const { address, port, hostKeys: trusted } = machine;
  let hostKeys: readonly string[] = [];
  try {
    hostKeys = await scanHostKeys(address, { port, timeoutMs: scanMs, signal });
    if (trusted.length === 0) {
      const message = "its SSH host keys must be confirmed: cloud inventory trust NAME HOST";
      return { state: "UNTRUSTED", message, hostKeys: [...hostKeys] };
    }
    const { machineId, ...facts } = await withMachine(machine, signal, readFacts);
    const disks = facts.disks.map((disk) => ({ ...disk }));
    // The machine id is confidential according to its manual page, so only a hash leaves the agent.
    const id = machineId === "" ? "" : createHash("sha256").update(`cloudwright ${machineId}`).digest("hex").slice(0, 32);
    return { state: "READY", message: "", hostKeys: [...hostKeys], ...facts, disks, machineId: id };
  } catch (error) {
    signal.throwIfAborted();
    const isChanged = error instanceof Fault && error.code === sshFaults.host_key_changed.code;
    return { state: isChanged ? "KEY_CHANGED" : "UNREACHABLE", message: describe(error), hostKeys: [...hostKeys] };
  }
}

async function checkController(machine: MachineAccess, signal: AbortSignal): Promise<JsonObject> {
  if (machine.controller === undefined) return { power: "", bmcMessage: "" };
  try {
    return { power: (await readPower(machine, signal)) ?? "", bmcMessage: "" };
  } catch (error) {
    signal.throwIfAborted();
    return { power: "", bmcMessage: describe(error) };
  }
}

function describe(error: unknown): string {
  return describeError(error).slice(0, mostMessage);
}
