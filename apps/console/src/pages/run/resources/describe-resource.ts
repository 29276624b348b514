import type { IconName } from "../../../design/icons.tsx";
import type { Tone } from "../../../design/phase.ts";
import { describeDuration } from "../../../design/time.tsx";
import { signs } from "../group-changes.ts";
import type { ResourceProgress } from "./resource-progress.ts";

/** How a state of a resource is painted. */
export const tonesOfState: Readonly<Record<ResourceProgress["state"], Tone>> = {
  WAITING: "idle",
  RUNNING: "busy",
  DONE: "good",
  FAILED: "bad",
};

const doing: Readonly<Record<string, readonly [now: string, then: string]>> = {
  create: ["creating", "created"],
  update: ["changing", "changed"],
  delete: ["removing", "removed"],
  replace: ["replacing", "replaced"],
  import: ["importing", "imported"],
  forget: ["letting go", "let go"],
};

/** How far a resource is, in a few words. */
export function describeProgress(resource: ResourceProgress, now: number, isPlanOnly: boolean): string {
  const { state, action, startedAt, endedAt } = resource;
  const [going, gone] = doing[state === "RUNNING" ? resource.doing : action] ?? [resource.doing, "done"];
  switch (state) {
    case "RUNNING":
      return startedAt === undefined ? going : `${going} · ${describeSeconds(now - startedAt)}`;
    case "DONE":
      return startedAt === undefined || endedAt === undefined ? gone : `${gone} · ${describeSeconds(endedAt - startedAt)}`;
    case "FAILED":
      return `${action} failed`;
    default:
      return isPlanOnly ? `to ${action === "delete" ? "remove" : action === "update" ? "change" : action}` : "waiting";
  }
}

function describeSeconds(ms: number): string {
  return ms < 60_000 ? `${Math.max(0, Math.round(ms / 1000))} s` : describeDuration(ms);
}

/** The tone of a resource: of what is to happen while that is only planned, then of how far it is. */
export function toneOfResource(state: ResourceProgress["state"], action: string, isPlanOnly: boolean): Tone {
  return isPlanOnly && state === "WAITING" ? (signs[action]?.tone ?? "idle") : tonesOfState[state];
}

const icons: readonly (readonly [RegExp, IconName])[] = [
  [/security_group|network_acl|policy|guard/, "account"],
  [/iam|kms|secret|access_entry|identity|openid/, "access"],
  [/node_group|launch_template|instance|autoscaling|compute/, "nodepool"],
  [/eks|kubernetes|helm|gke|aks/, "cluster"],
  [/s3|bucket|efs|ebs|volume|backup|storage|disk/, "storage"],
  [/log|cloudwatch_dashboard|trail/, "audit"],
  [/event|sqs|sns|queue/, "operation"],
  [/vpc|subnet|route|gateway|eip|nat|network|dns|address|endpoint|peering/, "network"],
];

/** The drawing that stands for a type. */
export function iconOfType(type: string): IconName {
  return icons.find(([pattern]) => pattern.test(type))?.[1] ?? "state";
}
