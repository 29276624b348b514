import type { Database } from "../pool.ts";

/** Address at which simulated clusters are served, and the sealed secret from which their keys are derived. */
export interface SimulatedKubernetesRow {
  readonly uid: string;
  readonly sealed: Buffer;
  /** Empty until simulated clusters are first served. */
  readonly address: string;
  /** The address of the simulated cloud APIs. Empty until they are first served. */
  readonly cloudsAddress: string;
}

/** Returns the table's only row, or undefined if it has not been inserted yet. */
export async function findSimulatedKubernetes(database: Database): Promise<SimulatedKubernetesRow | undefined> {
  const text = 'select uid, sealed, address, clouds_address as "cloudsAddress" from simulated_kubernetes';
  return (await database.query<SimulatedKubernetesRow>({ text, values: [] })).rows[0];
}

/** Stores the secret unless one exists. If several replicas start at the same time, the first insert wins. */
export async function insertSimulatedKubernetes(database: Database, uid: string, sealed: Buffer): Promise<void> {
  const text = "insert into simulated_kubernetes (uid, sealed) values ($1, $2) on conflict do nothing";
  await database.query({ text, values: [uid, sealed] });
}

/** Replaces the address `from` with `to`. Returns false if another replica changed it first. */
export async function updateSimulatedAddress(database: Database, from: string, to: string): Promise<boolean> {
  const text = "update simulated_kubernetes set address = $2 where address = $1 returning uid";
  return (await database.query({ text, values: [from, to] })).rows.length === 1;
}

/** Changes the address of the simulated cloud APIs. Returns false if another replica has changed it in the meantime. */
export async function updateSimulatedCloudsAddress(database: Database, from: string, to: string): Promise<boolean> {
  const text = "update simulated_kubernetes set clouds_address = $2 where clouds_address = $1 returning uid";
  return (await database.query({ text, values: [from, to] })).rows.length === 1;
}

/** Returns the project and the environment of an account, or undefined if it does not exist. */
export async function findAccountPlace(
  database: Database,
  uid: string,
): Promise<{ readonly project: string; readonly environment: string } | undefined> {
  const text = "select project, environment from entity where uid = $1 and kind = 'Account'";
  return (await database.query<{ project: string; environment: string }>({ text, values: [uid] })).rows[0];
}
