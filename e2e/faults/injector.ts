import { systemClock } from "@cloudwright/platform";
import { writeFileSync } from "node:fs";
import { uptime } from "node:os";
import { graceSeconds, leaseSeconds, type FaultPlatform, type PlatformAgent } from "./platform.ts";
import { faultKinds, type FaultKind, type PlannedFault } from "./plan-faults.ts";
import { trySignal, type ListedProcess } from "./process-list.ts";
import { emptyDisk, fillDisk } from "./small-disk.ts";
import type { Witness } from "./witness.ts";

/** Injects the planned faults into a running platform. */
export interface Injector {
  readonly counts: Readonly<Record<FaultKind, number>>;
  /** Violations that were observed while faults were injected. */
  readonly broken: readonly string[];
  run(): Promise<void>;
}

export interface InjectorDeps {
  readonly platform: FaultPlatform;
  readonly witness: Witness;
  /** Makes an agent lease a task and then disappear. */
  readonly vanish: () => Promise<void>;
  readonly note: (line: string) => void;
}

const hourMs = 3_600_000;
const patienceMs = 1500;
const getUpMs = 8000;
/** Sum of the lease, grace period and reaper interval, in seconds. After this time, another agent may already have started the task. */
const takeoverSeconds = 9;
const ticksPerSecond = 100;
const beatSeconds = 0.2;
/** Longer than a lease, so that leases expire during the outage. */
const outageMs = 8000;

/** Injects the faults one after the other. Lasting faults may overlap with later ones. All faults have ended when `run` resolves. */
export function createInjector(deps: InjectorDeps, faults: readonly PlannedFault[], withinMs: number): Injector {
  const { platform, witness, note } = deps;
  const counts = Object.fromEntries(faultKinds.map((kind) => [kind, 0])) as Record<FaultKind, number>;
  const lasting = new Set<Promise<void>>();
  const frozen = new Set<number>();
  const full = new Set<string>();
  const broken: string[] = [];

  const last = (work: Promise<void>): true => {
    const running: Promise<void> = work
      .catch((error: unknown) => note(`injecting a fault failed: ${String(error)}`))
      .finally(() => lasting.delete(running));
    lasting.add(running);
    return true;
  };
  const freeze = async (pid: number, moreMs: number): Promise<void> => {
    frozen.add(pid);
    trySignal(pid, "SIGSTOP");
    await systemClock.sleep((leaseSeconds + graceSeconds) * 1000);
    // The lease and its grace period have expired, so the frozen agent's programs must have been killed.
    for (const { parent, commandLine } of witness.programs())
      if (parent === pid && !isAtGate(commandLine))
        broken.push(`a program outlived the lease of its frozen agent: ${commandLine}`);
    await systemClock.sleep(moreMs);
    trySignal(pid, "SIGCONT");
    frozen.delete(pid);
  };
  const fill = async (agent: PlatformAgent, forMs: number): Promise<boolean> => {
    const pid = agent.pid();
    if (agent.smallDisk === undefined || pid === undefined || full.has(agent.name)) return false;
    const disk = agent.smallDisk;
    if (!fillDisk(pid, disk)) return false;
    full.add(agent.name);
    return last(
      systemClock.sleep(forMs).then(() => {
        emptyDisk(pid, disk);
        full.delete(agent.name);
      }),
    );
  };
  const awake = (): PlatformAgent[] => platform.agents().filter((agent) => !frozen.has(agent.pid() ?? 0));
  const inject = async ({ kind, at, size }: PlannedFault): Promise<boolean> => {
    const pick = <Item>(items: readonly Item[]): Item | undefined => items[at % Math.max(1, items.length)];
    const downMs = 100 + size * 3000;
    switch (kind) {
      case "kill-server":
        return pick(platform.servers)?.end("SIGKILL", downMs) ?? false;
      case "stop-server":
        return pick(platform.servers)?.end("SIGTERM", downMs) ?? false;
      case "outage":
        return platform.servers.map((server) => server.end("SIGKILL", outageMs)).includes(true);
      case "kill-agent":
        return pick(awake())?.end("SIGKILL", downMs) ?? false;
      case "stop-agent":
        return pick(awake())?.end("SIGTERM", downMs) ?? false;
      case "kill-watchdog":
        // Skips frozen agents, because a frozen agent cannot react to the death of its watchdog.
        return trySignal(pick(witness.watchdogs().filter(({ parent }) => !frozen.has(parent)))?.pid ?? 0x7fff_ffff, "SIGKILL");
      case "kill-child":
        return trySignal(pick(witness.programs())?.pid ?? 0x7fff_ffff, "SIGKILL");
      case "freeze-agent": {
        const pid = findBusy(witness.programs());
        if (pid === undefined) return false;
        return last(freeze(pid, (takeoverSeconds + size * 4) * 1000));
      }
      case "database-fast":
      case "database-immediate":
      case "database-kill":
        await platform.restartDatabase(
          ({ "database-fast": "fast", "database-immediate": "immediate", "database-kill": "kill" } as const)[kind],
        );
        return true;
      case "clock-jump":
        writeFileSync(pick(platform.clocks) ?? "", String(size < 0.4 ? hourMs : size < 0.8 ? -hourMs : 0));
        return true;
      case "disk-full": {
        const agent = pick(platform.agents().filter(({ smallDisk }) => smallDisk !== undefined));
        return agent === undefined ? false : fill(agent, 2000 + size * 5000);
      }
      case "vanish":
        return last(deps.vanish());
    }
  };
  // Waits until a program is running, because faults have no effect before that. A slow machine needs some time to recover from the
  // previous fault.
  const waitForWork = async (): Promise<void> => {
    const deadlineMs = performance.now() + getUpMs;
    while (witness.programs().length === 0 && performance.now() < deadlineMs) await systemClock.sleep(200);
  };
  // Retries, because the target of the fault may be temporarily down.
  const insist = async (fault: PlannedFault): Promise<boolean> => {
    const deadlineMs = performance.now() + (fault.kind === "freeze-agent" ? getUpMs : patienceMs);
    for (; performance.now() < deadlineMs; await systemClock.sleep(50)) if (await inject(fault)) return true;
    return false;
  };
  // Returns the process id of an agent with a program that would outlive the lease. Such a program must be killed when the lease expires.
  const findBusy = (programs: readonly ListedProcess[]): number | undefined => {
    const agents = new Set(platform.agents().map((agent) => agent.pid()));
    const ours = programs.filter(({ parent }) => agents.has(parent) && !frozen.has(parent));
    return ours.find((program) => findRemainingSeconds(program) > takeoverSeconds * 2)?.parent;
  };
  return {
    counts,
    broken,
    async run() {
      const startedMs = performance.now();
      for (const fault of faults) {
        await systemClock.sleep(fault.gapMs);
        await waitForWork();
        if (performance.now() - startedMs > withinMs) break;
        const happened = await insist(fault).catch((error: unknown) => {
          note(`injecting ${fault.kind} failed: ${String(error)}`);
          return false;
        });
        note(`${fault.kind}${happened ? "" : " (no target)"}`);
        if (happened) counts[fault.kind] += 1;
      }
      for (const file of platform.clocks) writeFileSync(file, "0");
      while (lasting.size > 0) await Promise.all(lasting);
    },
  };
}

/**
 * Returns the remaining run time of a demonstration program in seconds. The program's arguments contain the number of beats it runs for.
 */
function findRemainingSeconds({ commandLine, startTicks }: ListedProcess): number {
  const [, , , , beats = "0"] = commandLine.slice(commandLine.indexOf("child.sh ") + "child.sh ".length).split(" ");
  return Number(beats) * beatSeconds - (uptime() - Number(startTicks) / ticksPerSecond);
}

/** Returns whether a program has not started yet. It starts only when its agent, which must still hold the lease, permits it. */
function isAtGate(commandLine: string): boolean {
  return commandLine.includes("read -r go");
}
