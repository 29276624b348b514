import { type Json, type JsonObject, type Secret } from "@cloudwright/platform";
import type { Spawn } from "@cloudwright/terraform";

export type { Json, JsonObject };

/** The entity of a task, as far as a deployer looks at it. */
export interface DeployedEntity {
  readonly kind: string;
  readonly uid: string;
  readonly name: string;
  readonly project: string;
  readonly environment: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly spec: JsonObject;
}

/** The account that the entity is built in. */
export interface DeployedAccount {
  readonly uid: string;
  readonly name: string;
  readonly cloud: string;
  readonly simulated: boolean;
  readonly spec: JsonObject;
}

/** What an entity is built upon and what is built with it. */
export interface Surroundings {
  /** Nearest first, with what their own applies produced. */
  readonly parents: readonly {
    readonly kind: string;
    readonly uid: string;
    readonly name: string;
    readonly spec: JsonObject;
    readonly outputs: JsonObject;
  }[];
  /** Of a cluster. */
  readonly nodePools: readonly { readonly uid: string; readonly name: string; readonly spec: JsonObject }[];
  /** What the entity's own last apply produced; empty or absent before the first. */
  readonly outputs?: JsonObject;
}

/** How Terraform reaches the state of the task's entity. */
export interface StateAccess {
  readonly address: string;
  readonly lockAddress: string;
  readonly unlockAddress: string;
  readonly username: string;
  readonly password: Secret;
}

/** A task as a deployer is given it: what an agent's handlers get has this shape. */
export interface DeployerTask {
  readonly task: { readonly uid: string; readonly type: string };
  readonly payload: Surroundings & {
    readonly entity: DeployedEntity;
    readonly account: DeployedAccount | null;
    readonly outputs: JsonObject;
    /** Of a preview: the spec as it is, absent where nothing is there; that of the entity is the one to look at. */
    readonly formerSpec?: JsonObject;
    /** Of a cluster on its way over several minors: the version at its end; that of the entity is the next. */
    readonly finalVersion?: string;
    /** What the change may do without asking again. */
    readonly allow?: readonly string[];
    /** Of a look at a cluster: the node pool that does not exist yet, which alone it is about. */
    readonly newPool?: string;
    /** Of an apply: the plan that it applies. */
    readonly plan?: string;
    /** Of a token of a cluster: whom it is for, and how long it is to work. */
    readonly access?: { readonly role: "admin" | "viewer"; readonly ttlSeconds: number };
  };
  readonly directory: string;
  /** An agent that ended has left this task half done. */
  readonly resumed: boolean;
  readonly signal: AbortSignal;
  log(line: string): void;
  /** `outputs` are what the work has produced so far, where that is worth showing before its end. */
  progress(percent: number, message: string, outputs?: JsonObject): void;
  readonly spawn: Spawn;
  openState(): Promise<StateAccess>;
  /** The account's spec with its secrets, as they are set now. */
  openCredentials(): Promise<Secret<JsonObject>>;
  /** Hands over the token that the task was to ask a cluster for; it is in no outcome and no log. */
  keepToken(token: Secret, expiresAt: Date): Promise<void>;
}

/** Why a task failed, where there is more to say than a thrown fault can. */
export interface DeployerFault {
  readonly code: string;
  readonly message: string;
  readonly help: string;
  /** Trying again cannot help. */
  readonly permanent: boolean;
  /** What is left in the cloud, one item each: `kind id: why`. */
  readonly left?: readonly string[];
}

/** How a task ended; what is thrown is a failure as well. */
export type DeployerOutcome =
  | { readonly outcome: "done"; readonly outputs?: JsonObject }
  | { readonly outcome: "failed"; readonly fault: DeployerFault; readonly outputs?: JsonObject }
  | { readonly outcome: "cancelled" };
