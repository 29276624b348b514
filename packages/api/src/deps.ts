import type { Clock, Logger } from "@cloudwright/platform";
import type { ChangeFeed, KeyRing, Pool, Signal, Versions } from "@cloudwright/store";
import type { CheckOverrides, Judge } from "./entities/judge.ts";
import type { Tokens } from "./identity/tokens.ts";
import type { Served } from "./http/served.ts";
import type { SimulatedKubernetes } from "./simulator/simulated-kubernetes.ts";

/** What the operations work with. */
export interface ApiDeps {
  readonly pool: Pool;
  readonly feed: ChangeFeed;
  readonly versions: Versions;
  readonly keyRing: KeyRing;
  readonly clock: Clock;
  readonly log: Logger;
  readonly tokens: Tokens;
  /** Told when an entity wants the reconciler's attention. */
  readonly wakes: Signal;
  /** Told when a task may have become ready. */
  readonly taskSignal: Signal;
  readonly work: WorkLimits;
  readonly served: Served;
  /** Asked before an entity is written and when a plan comes. */
  readonly judge: Judge;
  readonly checkOverrides: CheckOverrides;
  /** Absent where simulated clusters answer nowhere. */
  readonly simulatedKubernetes?: SimulatedKubernetes;
  /** How long callers wait for a token of a real cluster; 20 s unless said. */
  readonly accessWaitMs?: number;
}

/** How long agents hold tasks, and how many at once. */
export interface WorkLimits {
  readonly leaseSeconds: number;
  /** Tasks of one project and lane that may be leased at once; undefined for any number. */
  readonly projectQuota: number | undefined;
  /** Tasks that use one account and may be leased at once; undefined for any number. */
  readonly accountBudget: number | undefined;
}
