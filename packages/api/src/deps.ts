import type { Clock, Logger } from "@cloudwright/platform";
import type { ChangeFeed, KeyRing, Pool, Signal, Versions } from "@cloudwright/store";
import type { CheckOverrides, Judge } from "./entities/judge.ts";
import type { Tokens } from "./identity/tokens.ts";
import type { Served } from "./http/served.ts";
import type { SimulatedKubernetes } from "./simulator/simulated-kubernetes.ts";

/** The collaborators that all methods share. */
export interface ApiDeps {
  readonly pool: Pool;
  readonly feed: ChangeFeed;
  readonly versions: Versions;
  readonly keyRing: KeyRing;
  readonly clock: Clock;
  readonly log: Logger;
  readonly tokens: Tokens;
  /** Signalled when an entity needs the reconciler's attention. */
  readonly wakes: Signal;
  /** Signalled when a task may have become ready. */
  readonly taskSignal: Signal;
  readonly work: WorkLimits;
  readonly served: Served;
  /** Evaluates policies before an entity is written and when a plan arrives. */
  readonly judge: Judge;
  readonly checkOverrides: CheckOverrides;
  /** Absent on replicas that do not serve simulated clusters. */
  readonly simulatedKubernetes?: SimulatedKubernetes;
  /** How long callers wait for a real cluster's token. Default: 20 s. */
  readonly accessWaitMs?: number;
}

/** Limits how long agents hold tasks and how many run at once. */
export interface WorkLimits {
  readonly leaseSeconds: number;
  /** Most tasks of one project and lane that may be leased at once. Undefined: unlimited. */
  readonly projectQuota: number | undefined;
  /** Most tasks of one account that may be leased at once. Undefined: unlimited. */
  readonly accountBudget: number | undefined;
}
