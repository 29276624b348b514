import { findMissingLabels, type AgentLabels, type AgentPermissions, type Placement } from "./placement.ts";

/** The labels, task types and payload versions that an agent supports, and the permissions that the control plane gives it. */
export interface AgentAbility extends AgentPermissions {
  readonly labels: AgentLabels;
  /** Task types that the agent has handlers for, or `*` for all. */
  readonly types: "*" | readonly string[];
  /** Payload versions that the agent's release supports. */
  readonly payloadVersions: { readonly min: number; readonly max: number };
}

/** A task's requirements for an agent. Tasks with equal requirements share one demand. */
export interface Demand {
  readonly id: number;
  readonly placement: Placement;
  readonly type: string;
  readonly payloadVersion: number;
}

/** Requirements that an agent does not meet. */
export interface Lack {
  readonly labels: Placement;
  readonly type: string | undefined;
  readonly payloadVersion: number | undefined;
}

/** Returns the requirements that an agent does not meet, or undefined if it meets all of them. */
export function findLack(demand: Demand, ability: AgentAbility): Lack | undefined {
  const { min, max } = ability.payloadVersions;
  const lack: Lack = {
    labels: findMissingLabels(demand.placement, ability.labels, ability),
    type: ability.types === "*" || ability.types.includes(demand.type) ? undefined : demand.type,
    payloadVersion: min <= demand.payloadVersion && demand.payloadVersion <= max ? undefined : demand.payloadVersion,
  };
  return countLacks(lack) === 0 ? undefined : lack;
}

export function countLacks({ labels, type, payloadVersion }: Lack): number {
  return Object.keys(labels).length + (type === undefined ? 0 : 1) + (payloadVersion === undefined ? 0 : 1);
}
