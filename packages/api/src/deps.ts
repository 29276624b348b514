import type { Clock, Logger } from "@cloudwright/platform";
import type { ChangeFeed, KeyRing, Pool, Signal, Versions } from "@cloudwright/store";
import type { DocumentParser } from "./documents/parse-documents.ts";
import type { CatalogueExtras } from "./entities/catalogue-extras.ts";
import type { CheckOverrides, Judge } from "./entities/judge.ts";
import type { Tokens } from "./identity/tokens.ts";
import type { Served } from "./http/served.ts";
import type { SimulatedKubernetes } from "./simulator/simulated-kubernetes.ts";

/** The dependencies that all methods share. */
export interface ApiDeps {
  readonly pool: Pool;
  /**
   * Connections reserved for agents' heartbeats and reports, so that no other request can delay them. A delayed heartbeat can cost an agent
   * its lease.
   */
  readonly heartbeatPool: Pool;
  readonly feed: ChangeFeed;
  readonly versions: Versions;
  readonly keyRing: KeyRing;
  readonly clock: Clock;
  readonly log: Logger;
  readonly tokens: Tokens;
  /** Notified when an entity is due for a reconciler pass. */
  readonly wakes: Signal;
  /** Notified when a task may have become ready or has ended. */
  readonly taskSignal: Signal;
  readonly work: WorkLimits;
  readonly served: Served;
  /** Parses Terraform states and plans. Large ones are parsed in another thread. */
  readonly documents: DocumentParser;
  /** Evaluates policies when an entity is written and when a plan is stored. */
  readonly judge: Judge;
  readonly checkOverrides: CheckOverrides;
  /** Names that operators add to the built-in catalogue of regions, machine types and versions. */
  readonly catalogue?: CatalogueExtras;
  /** Absent on replicas that serve neither users nor agents. */
  readonly simulatedKubernetes?: SimulatedKubernetes;
  /**
   * Controls external state backends of entities that were created before operators had to allow backends. `keep` (default): the entities
   * keep their backend. `refuse`: their runs fail until an operator allows the backend.
   */
  readonly unlistedBackends?: "keep" | "refuse";
  /** Limit on how long a caller waits for a real cluster's token. Default: 20 s. */
  readonly accessWaitMs?: number;
}

/** Limits on task leases. */
export interface WorkLimits {
  readonly leaseSeconds: number;
  /** Maximum number of leased tasks per project and lane. Undefined means unlimited. */
  readonly projectQuota: number | undefined;
  /** Maximum number of leased tasks per account. Undefined means unlimited. */
  readonly accountBudget: number | undefined;
}
