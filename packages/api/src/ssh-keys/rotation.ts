import { cloudOf, findAccount, type JsonObject } from "@cloudwright/contract";
import { findCloud } from "@cloudwright/contract/clouds";
import { findLineage, type Database, type EntityRow } from "@cloudwright/store";
import { parseEntity } from "../calls/trace-call.ts";
import { isObject } from "../entities/json-tree.ts";
import { isClaim } from "../kinds/claimed-instance.ts";

/** Names of an SSH key's private halves among its secrets. The former one exists only while the key is being replaced. */
export const privateHalf = "spec.privateKey";
export const formerPrivateHalf = "former.privateKey";

/** Progress of a key's replacement on one instance, as stored in the status of the key. */
export interface RotatedInstance {
  readonly name: string;
  readonly uid: string;
  readonly accepts: "former" | "both" | "new";
  readonly message: string;
  readonly failures: number;
  readonly retryAt?: string;
}

/** `status.rotation` of an SSH key. */
export interface Rotation {
  readonly id: string;
  readonly stage: "adding" | "removing";
  readonly formerPublicKey: string;
  readonly startedAt: string;
  readonly instances: readonly RotatedInstance[];
}

/** Returns the replacement in progress, or undefined if there is none. */
export function readRotation(status: JsonObject): Rotation | undefined {
  const { rotation } = status;
  return isObject(rotation) ? (rotation as unknown as Rotation) : undefined;
}

/**
 * Returns the title of the cloud of an instance if keys cannot be replaced there, because the platform cannot log in. Returns undefined if
 * they can.
 */
export async function findForeignCloud(database: Database, instanceUid: string): Promise<string | undefined> {
  const [, ...above] = await findLineage(database, instanceUid);
  const account = findAccount(above.map(({ kind, object }) => ({ kind, entity: parseEntity(object) })))?.entity.spec ?? {};
  const cloud = findCloud(cloudOf(account) ?? "");
  if (cloud?.instances?.areReachable === true && account["simulated"] !== true) return undefined;
  return cloud?.title ?? "an unknown cloud";
}

/** Returns whether the user of a key is an instance that the platform created. Inventories and claimed machines also use keys. */
export function isCreatedInstance({ kind, object }: Pick<EntityRow, "kind" | "object">): boolean {
  return kind === "Instance" && !isClaim(parseEntity(object).spec);
}
