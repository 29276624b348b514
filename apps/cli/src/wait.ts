import { Fault } from "@cloudwright/platform/fault";
import { InvalidArgumentError, type Command } from "commander";
import type { FlagValues } from "./command-context.ts";
import type { Session } from "./connection/session.ts";
import { parseDuration } from "./duration.ts";
import { resourceOf } from "./entities.ts";
import { cliFaults } from "./faults.ts";
import { renderPhase } from "./output/columns.ts";
import { itemName, type Item } from "./output/item.ts";

/** Adds --wait and --timeout. */
export function addWaitFlags(command: Command, until: string): void {
  command
    .option("--wait", `wait until ${until}`)
    .option("--timeout <duration>", "how long to wait at most: 90s, 30m (30m)", (text) => {
      const ms = parseDuration(text);
      if (ms === undefined) throw new InvalidArgumentError("It takes a duration such as 90s or 30m.");
      return ms;
    });
}

const defaultTimeoutMs = 30 * 60_000;

/** Waits, if the flags ask for it, until an entity runs as its latest spec says; kinds without work behind them do at once. */
export async function waitUntilRunning(session: Session, item: Item, flags: FlagValues, project?: string): Promise<Item> {
  if (flags["wait"] !== true || !item.kind.provisioned) return item;
  return waitFor(session, item, flags, "RUNNING", project);
}

/** Waits, if the flags ask for it, until an entity is gone. */
export async function waitUntilGone(session: Session, item: Item, flags: FlagValues): Promise<void> {
  if (flags["wait"] === true) await waitFor(session, item, flags, "gone");
}

async function waitFor(
  session: Session,
  item: Item,
  flags: FlagValues,
  goal: "RUNNING" | "gone",
  project = session.project,
): Promise<Item> {
  const { world, output } = session;
  const late = new AbortController();
  const done = new AbortController();
  const timeoutMs = (flags["timeout"] as number | undefined) ?? defaultTimeoutMs;
  world.clock.sleep(timeoutMs, done.signal).then(
    () => late.abort(),
    () => undefined,
  );
  let last = "";
  let seen = false;
  try {
    const events = resourceOf(session, item.kind, item.cluster, project).watch({
      signal: AbortSignal.any([world.signal, late.signal]),
    });
    for await (const event of events) {
      if (event.type === "SYNCED") {
        if (!seen) return arrive(item, goal);
        continue;
      }
      if (event.object.metadata.uid !== item.entity.metadata.uid) continue;
      seen = true;
      const now = { ...item, entity: event.object };
      if (event.type === "DELETED") return arrive(now, goal);
      const { phase, message, observedGeneration = 0 } = now.entity.status ?? {};
      const text = [renderPhase(now), message].filter(Boolean).join(": ");
      if (text !== last) output.note(`${itemName(now)} ${(last = text)}`);
      if (goal === "gone" || observedGeneration < (now.entity.metadata.generation ?? 0)) continue;
      if (phase === "RUNNING") return now;
      if (phase === "FAILED")
        throw new Fault(cliFaults.wait_failed, `${itemName(now)} came to FAILED: ${message ?? "no reason given"}`);
    }
  } catch (error) {
    if (!late.signal.aborted) throw error;
    const state = last === "" ? "" : ` (now ${last})`;
    throw new Fault(cliFaults.wait_timeout, `${itemName(item)} is not ${goal} after ${Math.round(timeoutMs / 1000)} s${state}`);
  } finally {
    done.abort();
  }
  return item;
}

/** It is gone: what was wanted, or the end of hope. */
function arrive(item: Item, goal: "RUNNING" | "gone"): Item {
  if (goal === "gone") return item;
  throw new Fault(cliFaults.wait_failed, `${itemName(item)} was deleted while it was waited for`);
}
