import type { PlannedChangeJson, TaskLogLineJson } from "@cloudwright/api-client";

/** How far one resource of a run is. */
export interface ResourceProgress {
  readonly address: string;
  readonly type: string;
  readonly action: string;
  readonly state: "WAITING" | "RUNNING" | "DONE" | "FAILED";
  /** What the log said last about it. */
  readonly said: string;
}

const line =
  /^(\S[^:]*(?:\["[^"]*"\])?): (create|update|delete|replace|read|import)\w* (planned|started|finished|failed|goes on)(.*)$/;

/** The resources of a run: what the plan has in mind, and what the log has told since. */
export function followResources(changes: readonly PlannedChangeJson[], log: readonly TaskLogLineJson[]): ResourceProgress[] {
  const resources = new Map<string, ResourceProgress>();
  for (const { address = "", resourceType = "", action = "" } of changes) {
    if (action === "none" || action === "read") continue;
    resources.set(address, { address, type: resourceType, action, state: "WAITING", said: "" });
  }
  for (const { line: text = "" } of log) {
    const match = line.exec(text);
    if (match === null) continue;
    const [, address = "", action = "", word = "", rest = ""] = match;
    const known = resources.get(address) ?? { address, type: typeOf(address), action, state: "WAITING" as const, said: "" };
    if (word === "planned") resources.set(address, known);
    else {
      const state = word === "finished" ? "DONE" : word === "failed" ? "FAILED" : "RUNNING";
      resources.set(address, { ...known, state, said: `${action} ${word}${rest}` });
    }
  }
  return [...resources.values()];
}

/** `aws_subnet` of `module.a.aws_subnet.public["x"]`. */
function typeOf(address: string): string {
  return /(?:^|\.)([a-z][a-z0-9]*_[a-z0-9_]*)\./.exec(address)?.[1] ?? address.split(".")[0] ?? "";
}
