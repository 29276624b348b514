import type { Database } from "../pool.ts";

/** Where simulated clusters are served, and the sealed secret behind their keys. */
export interface SimulatedKubernetesRow {
  readonly uid: string;
  readonly sealed: Buffer;
  /** Empty until somebody has served any. */
  readonly address: string;
}

/** The one row; undefined before the first start. */
export async function findSimulatedKubernetes(database: Database): Promise<SimulatedKubernetesRow | undefined> {
  const text = "select uid, sealed, address from simulated_kubernetes";
  return (await database.query<SimulatedKubernetesRow>({ text, values: [] })).rows[0];
}

/** Keeps the secret unless there is one: the first of several replicas that start together decides. */
export async function insertSimulatedKubernetes(database: Database, uid: string, sealed: Buffer): Promise<void> {
  const text = "insert into simulated_kubernetes (uid, sealed) values ($1, $2) on conflict do nothing";
  await database.query({ text, values: [uid, sealed] });
}

/** Remembers the address, if it still is what it was; false when another replica was faster. */
export async function updateSimulatedAddress(database: Database, from: string, to: string): Promise<boolean> {
  const text = "update simulated_kubernetes set address = $2 where address = $1 returning uid";
  return (await database.query({ text, values: [from, to] })).rows.length === 1;
}
