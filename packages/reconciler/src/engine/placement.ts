import { cloudOf, findCloud, type JsonObject } from "@cloudwright/contract";
import { findSmallestLack, type Placement } from "@cloudwright/tasks";
import type { Scope, ScopeTask } from "./scope.ts";

/** A task may lie ready this long before somebody asks whether there is an agent for it. */
export const placeableAfterMs = 3000;

/** The labels an agent must have to work on the entity, or on a spec that is only looked at: the cloud, the account and the region. */
export function renderPlacement(scope: Scope, candidate: JsonObject = {}): Placement {
  const account = findAccount(scope);
  if (account === undefined) return {};
  const region = [candidate, ...[scope.entity, ...scope.above].map(({ object }) => object.spec)]
    .map((spec) => spec["region"])
    .find((value) => typeof value === "string");
  const cloud = cloudOf(account.object.spec) ?? "";
  const label = findCloud(cloud)?.agent.findLabel((account.object.spec[cloud] ?? {}) as JsonObject);
  return {
    cloud,
    account: account.object.metadata.name ?? "",
    ...(typeof region === "string" && region !== "" ? { region } : {}),
    ...(label === undefined ? {} : { machines: label }),
  };
}

/** The account that an entity belongs to, which is itself for an account. */
export function findAccount(scope: Scope): Pick<Scope["entity"], "uid" | "kind" | "object"> | undefined {
  return [scope.entity, ...scope.above].find(({ kind }) => kind === "Account");
}

/** What a task that lies ready lacks an agent for, in one sentence; undefined when there is one, or when it is too early to say. */
export function findUnplaceable(scope: Scope, task: ScopeTask): string | undefined {
  if (scope.agents === undefined || scope.nowMs - task.createdAtMs < placeableAfterMs) return undefined;
  if (scope.agents.length === 0) return "no agent is connected; start one, or look why it does not reach the control plane";
  const demand = { id: 0, placement: task.placement, type: task.type, payloadVersion: task.payloadVersion };
  const lack = findSmallestLack(demand, scope.agents);
  if (lack === undefined) return undefined;
  const parts = [
    ...Object.entries(lack.labels).map(([name, value]) => `the label ${name}=${value}`),
    ...(lack.type === undefined ? [] : [`a handler for ${lack.type}`]),
    ...(lack.payloadVersion === undefined ? [] : [`a release that reads payload version ${lack.payloadVersion}`]),
  ];
  return `no agent can take ${task.type}: the nearest one lacks ${parts.join(" and ")}`;
}
