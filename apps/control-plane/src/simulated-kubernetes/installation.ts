import { createUid, Secret, type Clock } from "@cloudwright/platform";
import { findSimulatedKubernetes, insertSimulatedKubernetes, seal, unseal, type KeyRing, type Pool } from "@cloudwright/store";
import { randomBytes } from "node:crypto";

/** What all replicas know of the simulated clusters of this installation. */
export interface Installation {
  /** What all keys and tokens of simulated clusters are derived from. */
  readonly secret: Secret;
  /** Where they are served; empty until somebody has served any. */
  readonly address: string;
}

/** Reads it; the first start makes the secret, which rests sealed. */
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
  if (row === undefined) throw new Error("no secret after one was made");
  return { secret: new Secret(unseal(keyRing, row.uid, row.sealed)), address: row.address };
}
