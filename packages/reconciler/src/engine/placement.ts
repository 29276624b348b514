import { backendEntry, findSmallestLack, identityEntry } from "@cloudwright/tasks";
import type { Scope, ScopeTask } from "./scope.ts";

/** How long a task may be ready before the platform checks whether any agent can run it. */
export const placeableAfterMs = 3000;

/** Explains in one sentence why no agent can run a ready task. Returns undefined if one can, or if it is too early to tell. */
export function findUnplaceable(scope: Scope, task: ScopeTask): string | undefined {
  if (scope.agents === undefined || scope.nowMs - task.createdAtMs < placeableAfterMs) return undefined;
  if (scope.agents.length === 0) return "no agent is connected; start one, or check that it can reach the control plane";
  const demand = { id: 0, placement: task.placement, type: task.type, payloadVersion: task.payloadVersion };
  const lack = findSmallestLack(demand, scope.agents);
  if (lack === undefined) return undefined;
  const parts = [
    ...Object.entries(lack.labels).map(([name, value]) => describeLack(name, value, scope.entity.project)),
    ...(lack.type === undefined ? [] : [`a handler for ${lack.type}`]),
    ...(lack.payloadVersion === undefined ? [] : [`support for payload version ${lack.payloadVersion}`]),
  ];
  return `no agent can run ${task.type}: the closest match lacks ${parts.join(" and ")}`;
}

function describeLack(name: string, value: string, project: string): string {
  if (name === identityEntry)
    return `permission for project ${project} to use its cloud identity (the agent's spec.identityProjects)`;
  if (name === backendEntry)
    return `permission to receive the secrets of the state backend "${value}", which projects share (only agents of the project system have it)`;
  return `the label ${name}=${value}`;
}
