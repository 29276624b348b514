import { findMissingLabels, type AgentLabels, type Placement } from "./placement.ts";

/** The abilities of an agent. */
export interface AgentAbility {
  readonly labels: AgentLabels;
  /** The task types for which it has handlers, or `*` for all. */
  readonly types: "*" | readonly string[];
  /** The payload versions that its release can read. */
  readonly payloadVersions: { readonly min: number; readonly max: number };
}

/** The requirements of a task. */
export interface Demand {
  readonly id: number;
  readonly placement: Placement;
  readonly type: string;
  readonly payloadVersion: number;
}

/** The requirements that an agent does not meet. */
export interface Lack {
  readonly labels: Placement;
  readonly type: string | undefined;
  readonly payloadVersion: number | undefined;
}

/** Returns the requirements of a demand that an agent does not meet, or undefined if it meets all of them. */
export function findLack(demand: Demand, ability: AgentAbility): Lack | undefined {
  const { min, max } = ability.payloadVersions;
  const lack: Lack = {
    labels: findMissingLabels(demand.placement, ability.labels),
    type: ability.types === "*" || ability.types.includes(demand.type) ? undefined : demand.type,
    payloadVersion: min <= demand.payloadVersion && demand.payloadVersion <= max ? undefined : demand.payloadVersion,
  };
  return countLacks(lack) === 0 ? undefined : lack;
}

/** Counts the unmet requirements. */
export function countLacks({ labels, type, payloadVersion }: Lack): number {
  return Object.keys(labels).length + (type === undefined ? 0 : 1) + (payloadVersion === undefined ? 0 : 1);
}
