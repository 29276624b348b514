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

/** The entity of a task. Its spec is the message of its kind. */
export type DeployedEntity<Kind extends TaskKind = TaskKind> = TaskEntity<Kind>;

/** Returns the entity of a task. Throws if it is not of the kind that the task's type needs. */
export function requireEntity<Kind extends TaskKind>(task: Pick<DeployerTask, "payload">, kind: Kind): DeployedEntity<Kind> {
  const { entity } = task.payload;
  if (isEntityOf(entity, kind)) return entity;
  throw new Fault(deployerFaults.bad_spec, `the task needs a ${kind}, but "${entity.name}" is a ${entity.kind}`);
}

/** The account that the entity belongs to. */
export type DeployedAccount = TaskAccount;

/** The parents of an entity, its node pools if it is a cluster, and the outputs of its last apply. */
export type Surroundings = Pick<TaskPayload, "parents" | "nodePools" | "outputs">;

/** How Terraform reaches the state of the task's entity. */
export interface StateAccess {
  readonly address: string;
  readonly lockAddress: string;
  readonly unlockAddress: string;
  readonly username: string;
  readonly password: Secret;
}

/** A task as a deployer receives it. The context of an agent's handler has this shape. */
export interface DeployerTask {
  readonly task: { readonly uid: string; readonly type: string };
  readonly payload: TaskPayload;
  readonly directory: string;
  /** Whether an agent that was killed has left this task half done. */
  readonly resumed: boolean;
  readonly signal: AbortSignal;
  log(line: string): void;
  /** Reports progress. `outputs` are results that are worth showing before the task ends. */
  progress(percent: number, message: string, outputs?: JsonObject): void;
  readonly spawn: Spawn;
  openState(): Promise<StateAccess>;
  /** Returns the account's current spec with its secrets. */
  openCredentials(): Promise<Secret<JsonObject>>;
  /** Hands over the token that the task requested from a cluster. No outcome and no log contains it. */
  keepToken(token: Secret, expiresAt: Date): Promise<void>;
}

/** How a task ended. A thrown error is a failure, too. */
export type DeployerOutcome = WorkOutcome;
