import type { DeployerOutcome, JsonObject } from "../../task.ts";
import type { TestEndpoint } from "../../testing/test-endpoint.ts";
import type { TestTaskOptions } from "../../testing/test-task.ts";

/** A moment at which an executor is killed: before or after its n-th write, counted from 1. */
export interface KillPoint {
  readonly write: number;
  readonly moment: "before" | "after";
}

/** An executor under test. It must build at least five dependent resources. */
export interface ContractSubject {
  readonly name: string;
  /** Specs of the same entity. */
  readonly specs: {
    readonly first: JsonObject;
    /** Differs from `first` in attributes that are updated in place. May add resources. */
    readonly updated: JsonObject;
    /** Differs from `first` in attributes that cannot be updated. */
    readonly replaced: JsonObject;
    /** Cannot be built. */
    readonly invalid: JsonObject;
  };
  /** Where the suite kills it: at every write of a fast executor, or at some writes, chosen at random, of a slow one. */
  readonly kills: "every write" | { readonly samples: number; readonly amongWrites: number };
  openEntity(): Promise<ContractEntity>;
}

/** One entity under test. Its cloud and its endpoint outlive the executors. */
export interface ContractEntity {
  readonly uid: string;
  readonly endpoint: TestEndpoint;
  /** Runs a task of this action to its end. Throws what the deployer throws. */
  handle(action: string, options?: TestTaskOptions): Promise<DeployerOutcome>;
  /** Kills the executor of all following tasks at a point. Returns a function that ends this and tells whether it was killed. */
  killAt(point: KillPoint): () => boolean;
  /** Runs `work`, and aborts its signal when a part of the resources exists. */
  cancelInTheMiddle(work: (signal: AbortSignal) => Promise<DeployerOutcome>): Promise<DeployerOutcome>;
  /** Lists the entity's resources in the cloud. The key is the same for two resources that stand for the same address. */
  list(): Promise<readonly { readonly key: string; readonly id: string }[]>;
  /** Changes an attribute of one resource without the executor. */
  changeOutside(): Promise<void>;
  /** Removes one resource without the executor. */
  removeOutside(): Promise<void>;
  close(): Promise<void>;
}
