import type { MachineAccess } from "@cloudwright/clouds";
import { openRedfish, type PowerState, type RedfishSystem } from "@cloudwright/hosts";
import { Fault, systemClock } from "@cloudwright/platform";
import { sshFaults } from "@cloudwright/ssh";

/** How long a machine may take from being switched on until it accepts SSH connections. Servers test their memory first. */
const startMs = 15 * 60_000;
const pauseMs = 3000;

/** Runs `work` with the machine's management controller. Returns undefined if the machine has none. */
export async function withController<Result>(
  { controller }: MachineAccess,
  signal: AbortSignal,
  work: (system: RedfishSystem) => Promise<Result>,
): Promise<Result | undefined> {
  if (controller === undefined) return undefined;
  const { fingerprint, ca, ...target } = controller;
  const system = await openRedfish({ ...target, trust: { fingerprint, ca } }, signal);
  try {
    return await work(system);
  } finally {
    await system.close();
  }
}

/** Returns the power state that the controller reports. Undefined if the machine has no controller. */
export async function readPower(machine: MachineAccess, signal: AbortSignal): Promise<PowerState | undefined> {
  return withController(machine, signal, (system) => system.getPower());
}

/** Repeats `work` until the machine has started. Only errors that a starting machine causes are repeated. */
export async function untilStarted<Result>(work: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
  const until = systemClock.now() + startMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isStarting(error) || systemClock.now() + pauseMs > until) throw error;
      await systemClock.sleep(pauseMs, signal);
    }
  }
}

function isStarting(error: unknown): boolean {
  const codes: readonly string[] = [sshFaults.unreachable.code, sshFaults.timeout.code, sshFaults.connection_lost.code];
  return error instanceof Fault && codes.includes(error.code);
}
