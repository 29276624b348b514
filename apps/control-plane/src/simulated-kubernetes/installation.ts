import { createUid, Secret, type Clock } from "@cloudwright/platform";
import { findSimulatedKubernetes, insertSimulatedKubernetes, seal, unseal, type KeyRing, type Pool } from "@cloudwright/store";
import { randomBytes } from "node:crypto";

/** Settings for simulated clusters that all replicas of an installation share. */
export interface Installation {
  /** The secret from which all keys and tokens of simulated clusters are derived. */
  readonly secret: Secret;
  /** The base URL of the simulated clusters. Empty until a replica serves them for the first time. */
  readonly address: string;
  /** The base URL of the simulated cloud APIs. Empty until a replica serves them for the first time. */
  readonly cloudsAddress: string;
}

/** Reads the shared settings. The first call creates the secret and stores it encrypted. */
export async function readInstallation(deps: {
  readonly pool: Pool;
  readonly keyRing: KeyRing;
  readonly clock: Clock;
}): Promise<Installation> {
  const { pool, keyRing, clock } = deps;
  let row = await findSimulatedKubernetes(pool);
  if (row === undefined) {
    const uid = createUid(clock.now());
    await insertSimulatedKubernetes(pool, uid, seal(keyRing, uid, randomBytes(32).toString("base64url")));
    row = await findSimulatedKubernetes(pool);
  }
  if (row === undefined) throw new Error("the secret was not found after it was created");
  return { secret: new Secret(unseal(keyRing, row.uid, row.sealed)), address: row.address, cloudsAddress: row.cloudsAddress };
}
