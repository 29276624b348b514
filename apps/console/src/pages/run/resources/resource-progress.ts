import type { PlannedChangeJson, TaskLogLineJson } from "@cloudwright/api-client";

/** The progress of one resource in a run. */
export interface ResourceProgress {
  readonly address: string;
  readonly type: string;
  /** The planned action. */
  readonly action: string;
  readonly state: "WAITING" | "RUNNING" | "DONE" | "FAILED";
  /** The current or last action. A replacement consists of a deletion and a creation. */
  readonly doing: string;
  readonly startedAt?: number | undefined;
  readonly endedAt?: number | undefined;
}

const key = String.raw`(?:\[(?:\d+|"(?:[^"\\]|\\.)*")\])?`;
const told = new RegExp(
  String.raw`^((?:[\w-]+${key}\.)+[\w-]+${key}): (create|update|delete|replace|forget|import) (planned|started|finished|failed|since)\b`,
);

/** Combines the planned actions of a run with the progress reported in its log. */
export function followResources(changes: readonly PlannedChangeJson[], log: readonly TaskLogLineJson[]): ResourceProgress[] {
  const resources = new Map<string, ResourceProgress>();
  const halves = new Map<string, number>();
  for (const { address = "", resourceType = "", action = "" } of changes) {
    if (action === "none" || action === "read") continue;
    resources.set(address, { address, type: resourceType, action, state: "WAITING", doing: action });
  }
  let current = 0;
  for (const { line = "", at = "", attempt = 0 } of log) {
    // A new attempt resets all unfinished resources to waiting.
    if (attempt > current) for (const each of resources.values()) if (each.state !== "DONE") wait(resources, each);
    current = Math.max(current, attempt);
    const match = told.exec(line);
    if (match === null) continue;
    const [, address = "", doing = "", word = ""] = match;
    const known = resources.get(address) ?? { address, type: typeOf(address), action: doing, state: "WAITING", doing };
    if (word === "planned") resources.set(address, known);
    else {
      const time = Date.parse(at) || undefined;
      if (word === "finished") halves.set(address, (halves.get(address) ?? 0) + 1);
      const isHalf = known.action === "replace" && (halves.get(address) ?? 0) < 2;
      const state = word === "failed" ? "FAILED" : word === "finished" && !isHalf ? "DONE" : "RUNNING";
      const startedAt = known.state === "RUNNING" ? known.startedAt : time;
      resources.set(address, { ...known, state, doing, startedAt, endedAt: state === "RUNNING" ? undefined : time });
    }
  }
  return [...resources.values()];
}

function wait(resources: Map<string, ResourceProgress>, { address, type, action }: ResourceProgress): void {
  resources.set(address, { address, type, action, state: "WAITING", doing: action });
}

/** Returns the resource type of an address, such as `example_subnet` for `module.a.example_subnet.public["x"]`. */
function typeOf(address: string): string {
  return /(?:^|\.)([a-z][a-z0-9]*_[a-z0-9_]*)\./.exec(address)?.[1] ?? address.split(".")[0] ?? "";
}

/** Returns the log lines about one resource. */
export function listLinesOf(address: string, log: readonly TaskLogLineJson[]): TaskLogLineJson[] {
  return log.filter(
    ({ line = "" }) => line.startsWith(`${address}: `) || line.includes(` ${address}: `) || line.includes(`with ${address}`),
  );
}
