/**
 * The watchdog, a separate process that outlives the agent. It tracks the deadline and the process groups of each lease. It kills the
 * groups when the deadline passes without renewal, or when the agent dies. It exchanges lines of JSON over standard input and output. It
 * imports only Node's built-in modules, so that it starts quickly.
 */
import { createInterface } from "node:readline";
import { bootTime } from "../boot-time.ts";
import { killGroups, killLeases, type ProcessMark } from "../process-table.ts";
import type { WatchdogAnswer, WatchdogOrder } from "./protocol.ts";

const lookEveryMs = 50;
const leases = new Map<string, Lease>();

interface Lease {
  deadlineMs: number;
  expired: boolean;
  readonly children: Map<number, ProcessMark>;
}

// A terminal or supervisor may signal all processes at once. The watchdog ignores these signals, because it must outlive the programs that
// it watches. It exits when the agent closes the watchdog's standard input.
for (const name of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const) process.on(name, () => undefined);
process.stdout.on("error", () => undefined);

let timer: NodeJS.Timeout | undefined;
const lines = createInterface({ input: process.stdin });
lines.on("line", (line) => obey(JSON.parse(line) as WatchdogOrder));
lines.on("close", () => {
  killAll(leases);
  process.exit(0);
});
answer({ answer: "ready" });

function obey(order: WatchdogOrder): void {
  switch (order.order) {
    case "guard": {
      timer ??= setInterval(expireLeases, lookEveryMs);
      const lease = leases.get(order.lease);
      if (lease === undefined) {
        leases.set(order.lease, { deadlineMs: order.deadlineMs, expired: false, children: new Map() });
      } else lease.deadlineMs = order.deadlineMs;
      return;
    }
    case "child": {
      const lease = leases.get(order.lease);
      const accepted = lease !== undefined && !lease.expired && bootTime() < lease.deadlineMs;
      if (accepted) lease.children.set(order.mark.pid, order.mark);
      return answer({ answer: "child", lease: order.lease, pid: order.mark.pid, accepted });
    }
    case "ended":
      return void leases.get(order.lease)?.children.delete(order.pid);
    case "release": {
      killGroups(leases.get(order.lease)?.children.values() ?? []);
      leases.delete(order.lease);
      // Stops the timer while there are no leases.
      if (leases.size > 0) return;
      clearInterval(timer);
      timer = undefined;
      return;
    }
  }
}

function expireLeases(): void {
  const nowMs = bootTime();
  for (const [name, lease] of leases) {
    if (lease.expired || nowMs < lease.deadlineMs) continue;
    // The programs are already dead, so a later renewal has no effect.
    lease.expired = true;
    killAll(new Map([[name, lease]]));
    answer({ answer: "expired", lease: name });
  }
}

// Kills process groups first, because that is fast. Then kills processes that have left their group.
function killAll(lost: ReadonlyMap<string, Lease>): void {
  const busy = new Map([...lost].filter(([, { children }]) => children.size > 0));
  for (const { children } of busy.values()) killGroups(children.values());
  if (busy.size > 0) killLeases(new Set(busy.keys()));
  for (const { children } of busy.values()) children.clear();
}

function answer(message: WatchdogAnswer): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}
