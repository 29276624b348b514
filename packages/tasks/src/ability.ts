import { findMissingLabels, type AgentLabels, type Placement } from "./placement.ts";

/** What an agent can do. */
export interface AgentAbility {
  readonly labels: AgentLabels;
  /** The task types it has handlers for; `*` for all. */
  readonly types: "*" | readonly string[];
  /** The payloads its release reads. */
  readonly payloadVersions: { readonly min: number; readonly max: number };
}

/** What a task asks of an agent. */
export interface Demand {
  readonly id: number;
  readonly placement: Placement;
  readonly type: string;
  readonly payloadVersion: number;
}

/** What an agent lacks for a demand. */
export interface Lack {
  readonly labels: Placement;
  readonly type: string | undefined;
  readonly payloadVersion: number | undefined;
}

/** What an agent lacks for a demand; undefined when it lacks nothing. */
export function findLack(demand: Demand, ability: AgentAbility): Lack | undefined {
  const { min, max } = ability.payloadVersions;
  const lack: Lack = {
    labels: findMissingLabels(demand.placement, ability.labels),
    type: ability.types === "*" || ability.types.includes(demand.type) ? undefined : demand.type,
    payloadVersion: min <= demand.payloadVersion && demand.payloadVersion <= max ? undefined : demand.payloadVersion,
  };
  return countLacks(lack) === 0 ? undefined : lack;
}

/** How many things are lacking. */
export function countLacks({ labels, type, payloadVersion }: Lack): number {
  return Object.keys(labels).length + (type === undefined ? 0 : 1) + (payloadVersion === undefined ? 0 : 1);
}
