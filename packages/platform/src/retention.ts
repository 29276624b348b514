import { parseDuration } from "./duration.ts";
import { Fault } from "./fault.ts";
import { platformFaults } from "./faults.ts";
import { resyncKinds } from "./resync-kinds.ts";

/** How long records of one type are kept. Undefined keeps them forever. */
export type KeepMs = number | undefined;

/** How long records are kept, keyed by the kind of their entity. The `*` key applies to all other kinds. */
export type KeepMsByKind = Readonly<Record<string, KeepMs>>;

/** How long the platform keeps the records that would otherwise grow without limit. */
export interface Retention {
  /** The change log. Watchers can resume from any position that is not older than this. */
  readonly changes: number;
  readonly events: KeepMs;
  readonly audit: KeepMs;
  /** Completed operations and closed drift reports. */
  readonly operations: KeepMs;
  readonly tasks: KeepMs;
  readonly taskLogs: KeepMsByKind;
  /** Earlier versions of Terraform states. The most recent versions of each state are kept regardless of their age. */
  readonly stateVersions: KeepMsByKind;
  /** Terraform states of deleted entities, with all their versions and plans. */
  readonly deletedStates: KeepMsByKind;
}

const name = "CLOUDWRIGHT_RETENTION";
const defaults = "changes=24h,events=30d,audit=400d,operations=30d,tasks=30d,task-logs=30d,state-versions=90d,deleted-states=90d";
const byKind: ReadonlySet<string> = new Set(["task-logs", "state-versions", "deleted-states"]);

/**
 * Reads and validates the retention settings. Each part of the variable overrides one default. Throws a fault that names an invalid part.
 */
export function readRetention(environment: Readonly<Record<string, string | undefined>>): Retention {
  const kept = new Map<string, KeepMs>();
  for (const part of defaults.split(",")) readPart(kept, part);
  for (const part of (environment[name] ?? "").split(",").filter((text) => text.trim() !== "")) readPart(kept, part);
  return {
    changes: kept.get("changes") as number,
    events: kept.get("events"),
    audit: kept.get("audit"),
    operations: kept.get("operations"),
    tasks: kept.get("tasks"),
    taskLogs: collectKinds(kept, "task-logs"),
    stateVersions: collectKinds(kept, "state-versions"),
    deletedStates: collectKinds(kept, "deleted-states"),
  };
}

function readPart(kept: Map<string, KeepMs>, part: string): void {
  const [key = "", value, ...rest] = part.split("=").map((word) => word.trim());
  const [record = "", kind, ...more] = key.split(".");
  const known = kind === undefined ? "" : resyncKinds.find((each) => each.toLowerCase() === kind.toLowerCase());
  const names = defaults.split(",").map((text) => text.split("=")[0] ?? "");
  if (value === undefined || rest.length > 0 || more.length > 0 || !names.includes(record))
    throw new Fault(
      platformFaults.bad_configuration,
      `${name}: "${part.trim()}" is not valid; use one of ${names.join(", ")} with a duration, such as audit=400d`,
    );
  if (known === undefined || (kind !== undefined && !byKind.has(record)))
    throw new Fault(
      platformFaults.bad_configuration,
      `${name}: "${part.trim()}" is not valid; only ${[...byKind].join(", ")} accept a kind, which must be one of ${resyncKinds.join(", ")}`,
    );
  if (value === "forever" && record === "changes")
    throw new Fault(
      platformFaults.bad_configuration,
      `${name}: the change log cannot be kept forever; use a duration such as changes=7d`,
    );
  kept.set(
    known === "" ? record : `${record}.${known}`,
    value === "forever" ? undefined : parseDuration(`${name}: ${key}`, value),
  );
}

function collectKinds(kept: ReadonlyMap<string, KeepMs>, record: string): KeepMsByKind {
  const own = resyncKinds.filter((kind) => kept.has(`${record}.${kind}`));
  return { "*": kept.get(record), ...Object.fromEntries(own.map((kind) => [kind, kept.get(`${record}.${kind}`)])) };
}
