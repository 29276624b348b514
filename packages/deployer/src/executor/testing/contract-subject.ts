import type { DeployerOutcome, JsonObject } from "../../task.ts";
import type { TestEndpoint } from "../../testing/test-endpoint.ts";
import type { TestTaskOptions } from "../../testing/test-task.ts";

/** A point at which an executor is killed: before or after its n-th write, counted from 1. */
export interface KillPoint {
  readonly write: number;
  readonly moment: "before" | "after";
}

/** An executor under test. Its specs must create at least five resources with dependencies between them. */
export interface ContractSubject {
  readonly name: string;
  readonly specs: {
    readonly first: JsonObject;
    /** Differs from `first` in attributes that can be updated in place. May add resources. */
    readonly updated: JsonObject;
    /** Differs from `first` in attributes that require a replacement. */
    readonly replaced: JsonObject;
    /** A spec that cannot be built. */
    readonly invalid: JsonObject;
  };
  /** When to kill the executor: at every write if it is fast, or at a random sample of writes if it is slow. */
  readonly kills: "every write" | { readonly samples: number; readonly amongWrites: number };
  openEntity(): Promise<ContractEntity>;
}

/** An entity under test. Its cloud and endpoint survive the death of an executor. */
export interface ContractEntity {
  readonly uid: string;
  readonly endpoint: TestEndpoint;
  /** Runs a task with this action. Rejects with the deployer's error. */
  handle(action: string, options?: TestTaskOptions): Promise<DeployerOutcome>;
  /** Kills the executor at the given point. The returned function disarms the kill and returns whether the executor was killed. */
  killAt(point: KillPoint): () => boolean;
  /** Runs `work` and aborts its signal when some, but not all, of the resources exist. */
  cancelInTheMiddle(work: (signal: AbortSignal) => Promise<DeployerOutcome>): Promise<DeployerOutcome>;
  /** Lists the entity's resources in the cloud. Duplicates of a resource have the same key. */
  list(): Promise<readonly { readonly key: string; readonly id: string }[]>;
  /** Changes an attribute of one resource behind the executor's back. */
  changeOutside(): Promise<void>;
  /** Deletes one resource behind the executor's back. */
  removeOutside(): Promise<void>;
  close(): Promise<void>;
}
