import {
  isEntityOf,
  type TaskAccount,
  type TaskEntity,
  type TaskKind,
  type TaskPayload,
  type WorkOutcome,
} from "@cloudwright/contract";
import { Fault, type Json, type JsonObject, type Secret } from "@cloudwright/platform";
import type { Spawn } from "@cloudwright/terraform";
import { deployerFaults } from "./faults.ts";

export type { Json, JsonObject };

/** A task's entity, with a spec typed by its kind. */
export type DeployedEntity<Kind extends TaskKind = TaskKind> = TaskEntity<Kind>;

/** Returns the task's entity. Throws if it is not of the expected kind. */
export function requireEntity<Kind extends TaskKind>(task: Pick<DeployerTask, "payload">, kind: Kind): DeployedEntity<Kind> {
  const { entity } = task.payload;
  if (isEntityOf(entity, kind)) return entity;
  throw new Fault(deployerFaults.bad_spec, `the task requires kind ${kind}, but "${entity.name}" has kind ${entity.kind}`);
}

export type DeployedAccount = TaskAccount;

/** An entity's context: its parents, a cluster's node pools, and the outputs of its last apply. */
export interface Surroundings extends Pick<TaskPayload, "parents" | "references" | "nodePools" | "outputs"> {
  /** The facts that the stack's `observe` found in the cloud. Absent unless the run plans or applies a change. */
  readonly observed?: JsonObject;
}

/** Addresses and credentials for the Terraform state of the task's entity. */
export interface StateAccess {
  readonly address: string;
  readonly lockAddress: string;
  readonly unlockAddress: string;
  readonly username: string;
  readonly password: Secret;
  /** Resources that must not be adopted again, because users told the platform to forget them. */
  readonly forgotten?: readonly { readonly type: string; readonly id: string }[];
  /** The external state backend that the control plane allows the entity to use. Absent if there is none. */
  readonly backend?: OpenedBackend;
  /** The entity's secrets, keyed by field path. Absent if it has none. */
  readonly secrets?: Secret<Readonly<Record<string, string>>>;
  /** The secrets that other entities lend to the entity, such as the SSH key of an inventory. Absent if there are none. */
  readonly lent?: Secret<readonly LentSecrets[]>;
}

/** The secrets of an entity that the task's entity refers to, keyed by field path. */
export interface LentSecrets {
  readonly kind: string;
  readonly name: string;
  readonly secrets: Readonly<Record<string, string>>;
}

/** An external state backend. `settings` selects the entity's state. `secrets` is keyed by environment variable. */
export interface OpenedBackend {
  readonly name: string;
  readonly type: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly secrets: Readonly<Record<string, Secret>>;
}

/** The input of a deployer. It matches the context that an agent passes to its handlers. */
export interface DeployerTask {
  readonly task: { readonly uid: string; readonly type: string };
  readonly payload: TaskPayload;
  readonly directory: string;
  /** True if an earlier agent process was killed before it finished this task. */
  readonly resumed: boolean;
  readonly signal: AbortSignal;
  log(line: string): void;
  /** Reports progress. `outputs` contains intermediate results to show before the task ends. */
  progress(percent: number, message: string, outputs?: JsonObject): void;
  readonly spawn: Spawn;
  openState(): Promise<StateAccess>;
  /** Returns the account's current spec, including secrets. */
  openCredentials(): Promise<Secret<JsonObject>>;
  /** Stores a cluster token on the control plane. Outcomes and logs never contain it. */
  keepToken(token: Secret, expiresAt: Date): Promise<void>;
}

/** The result of a task. Throwing an error also fails the task. */
export type DeployerOutcome = WorkOutcome;
