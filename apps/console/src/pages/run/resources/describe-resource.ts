import { cloudViews } from "../../../clouds/registry.ts";
import type { IconName } from "../../../design/icons.tsx";
import type { Tone } from "../../../design/phase.ts";
import { describeDuration } from "../../../design/time.tsx";
import { signs } from "../group-changes.ts";
import type { ResourceProgress } from "./resource-progress.ts";

/** The tone of each resource state. */
export const tonesOfState: Readonly<Record<ResourceProgress["state"], Tone>> = {
  WAITING: "idle",
  RUNNING: "busy",
  DONE: "good",
  FAILED: "bad",
};

const doing: Readonly<Record<string, readonly [now: string, then: string]>> = {
  create: ["creating", "created"],
  update: ["changing", "changed"],
  delete: ["deleting", "deleted"],
  replace: ["replacing", "replaced"],
  import: ["importing", "imported"],
  forget: ["forgetting", "forgotten"],
};

/** Describes the progress of a resource in a few words, such as "to create". */
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
      return isPlanOnly ? `to ${action === "update" ? "change" : action}` : "waiting";
  }
}

function describeSeconds(ms: number): string {
  return ms < 60_000 ? `${Math.max(0, Math.round(ms / 1000))} s` : describeDuration(ms);
}

/** Returns the tone of a resource. Before work starts, the planned action determines it. Afterwards, the state does. */
export function toneOfResource(state: ResourceProgress["state"], action: string, isPlanOnly: boolean): Tone {
  return isPlanOnly && state === "WAITING" ? (signs[action]?.tone ?? "idle") : tonesOfState[state];
}

const icons: readonly (readonly [RegExp, IconName])[] = [
  [/security_group|network_acl|policy|guard/, "account"],
  [/kms|secret|access_entry|identity|openid/, "access"],
  [/node_group|launch_template|instance(?!_profile)|autoscaling|compute/, "nodepool"],
  [/kubernetes|helm/, "cluster"],
  ...cloudViews.flatMap(({ resourceIcons }) => resourceIcons),
  [/bucket|volume|backup|storage|disk|file_system/, "storage"],
  [/log|dashboard|trail/, "audit"],
  [/event|queue/, "operation"],
  [/vpc|subnet|route|gateway|eip|nat|network|dns|address|endpoint|peering/, "network"],
];

export function iconOfType(type: string): IconName {
  return icons.find(([pattern]) => pattern.test(type))?.[1] ?? "state";
}
