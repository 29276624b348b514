import { cloudNames } from "@cloudwright/contract/clouds";
import { Fault } from "@cloudwright/platform";
import { createHash } from "node:crypto";
import { storeFaults } from "../faults.ts";
import type { Database } from "../pool.ts";
import type { SimulatingRun } from "./simulate.ts";

/** Identifies a cluster in the cloud of a simulated account. */
export interface SimulatedClusterPlace {
  readonly accountUid: string;
  readonly region: string;
  readonly name: string;
}

export interface SimulatedClusterRow extends SimulatedClusterPlace {
  readonly id: string;
  /** Kubernetes version, such as `v1.34.2`. */
  readonly version: string;
  readonly createdAtMs: number;
  /** Project of the account. */
  readonly project: string;
  /** Cloud of the account. Null if the account's spec does not name one. */
  readonly cloud: string | null;
  /** True once the cluster has been seen in its cloud. False while the cluster is still being created. */
  readonly seen: boolean;
  /** Time at which a run last requested the cluster. */
  readonly askedAt: Date;
}

/** Renders the stable id of a cluster. It is part of URLs and contains the cluster's name for readability. */
export function renderSimulatedClusterId({ accountUid, region, name }: SimulatedClusterPlace): string {
  const word = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "")
    .slice(0, 40);
  const hash = createHash("sha256")
    .update(JSON.stringify([accountUid, region, name]))
    .digest("hex")
    .slice(0, 12);
  return `${word}-${hash}`.replace(/^-/, "");
}

const clouds = cloudNames.map((name) => `'${name}'`).join(", ");
const columns = `id, account_uid as "accountUid", region, name, version, created_at_ms::float8 as "createdAtMs", seen, asked_at as "askedAt",
  (select e.project from entity e where e.uid = account_uid) as project,
  (select k from entity e, json_object_keys(e.object -> 'spec') k where e.uid = account_uid and k in (${clouds}) limit 1) as cloud`;

/** Returns the clusters of all simulated clouds. */
export async function listSimulatedClusters(database: Database): Promise<SimulatedClusterRow[]> {
  const text = `select ${columns} from simulated_cluster order by id`;
  return (await database.query<SimulatedClusterRow>({ text, values: [] })).rows;
}

export async function findSimulatedCluster(database: Database, id: string): Promise<SimulatedClusterRow | undefined> {
  const text = `select ${columns} from simulated_cluster where id = $1`;
  return (await database.query<SimulatedClusterRow>({ text, values: [id] })).rows[0];
}

/** Finds the cluster at this place. Another place may have the same id, because an id contains only a part of a hash. */
export async function findSimulatedClusterAt(
  database: Database,
  place: SimulatedClusterPlace,
): Promise<SimulatedClusterRow | undefined> {
  const row = await findSimulatedCluster(database, renderSimulatedClusterId(place));
  return row !== undefined && isAt(row, place) ? row : undefined;
}

function isAt(row: SimulatedClusterRow, { accountUid, region, name }: SimulatedClusterPlace): boolean {
  return row.accountUid === accountUid && row.region === region && row.name === name;
}

/** Finds the newest cluster with this name in an account's cloud. */
export async function findSimulatedClusterByName(
  database: Database,
  accountUid: string,
  name: string,
): Promise<SimulatedClusterRow | undefined> {
  const text = `select ${columns} from simulated_cluster where account_uid = $1 and name = $2 order by created_at_ms desc limit 1`;
  return (await database.query<SimulatedClusterRow>({ text, values: [accountUid, name] })).rows[0];
}

/** Adds a cluster that exists in its cloud. Returns false if the id is already taken. */
export async function insertSimulatedCluster(
  database: Database,
  place: SimulatedClusterPlace,
  facts: Pick<SimulatedClusterRow, "id" | "version" | "createdAtMs">,
): Promise<boolean> {
  const text = `insert into simulated_cluster (id, account_uid, region, name, version, created_at_ms, seen)
select $1, e.uid, $3, $4, $5, $6, true from entity e where e.uid = $2 on conflict (id) do nothing returning id`;
  const values = [facts.id, place.accountUid, place.region, place.name, facts.version, facts.createdAtMs];
  return (await database.query({ text, values })).rows.length === 1;
}

/** Records the current version of a cluster. Returns false if the cluster does not exist or was recreated in the meantime. */
export async function updateSimulatedCluster(
  database: Database,
  { id, version, createdAtMs }: Pick<SimulatedClusterRow, "id" | "version" | "createdAtMs">,
): Promise<boolean> {
  const text = "update simulated_cluster set version = $2, seen = true where id = $1 and created_at_ms = $3 returning id";
  return (await database.query({ text, values: [id, version, createdAtMs] })).rows.length === 1;
}

/** Deletes a cluster with all of its objects, unless it was recreated in the meantime. Returns false if nothing was deleted. */
export async function deleteSimulatedCluster(database: Database, id: string, createdAtMs?: number): Promise<boolean> {
  const text = "delete from simulated_cluster where id = $1 and ($2::bigint is null or created_at_ms = $2) returning id";
  return (await database.query({ text, values: [id, createdAtMs ?? null] })).rows.length === 1;
}

/**
 * Largest number of an account's clusters that were requested but do not exist in its cloud yet. Concurrent requests can exceed it slightly.
 */
const mostRequested = 200;

// If a cluster existed in the cloud but is missing now, it was deleted there, and this statement adds a new one.
const open = openAs("select refuse_simulated_run($1, $2, $3) as refused");
const expect = openAs("select '' as refused from entity e where e.uid = $1 and $2::text is null and $3::text is null");

function openAs(admission: string): string {
  return `with admitted as materialized (${admission}),
past as materialized (
  select c.id from simulated_cluster c, admitted a where a.refused = '' and c.id = $4 and ${isSamePlace("$1", "$5", "$6")} and c.seen
    and not exists (select from simulated_record r where r.account_uid = $1 and r.type = any($9)
      and (r.id = c.name or r.attributes ->> 'name' = c.name))
), emptied as (
  delete from simulated_object o using past p where o.cluster_id = p.id
), opened as (
  insert into simulated_cluster as c (id, account_uid, region, name, version, created_at_ms)
  select $4, $1, $5, $6, $7, $8 from admitted where refused = '' and (exists (select from simulated_cluster c where c.id = $4)
    or (select count(*) from simulated_cluster c where c.account_uid = $1 and not c.seen) < ${mostRequested})
  on conflict (id) do update set asked_at = clock_timestamp(),
    created_at_ms = case when exists (select from past) then excluded.created_at_ms else c.created_at_ms end,
    object_version = case when exists (select from past) then 0 else c.object_version end,
    strikes = case when exists (select from past) then 0 else c.strikes end,
    struck_at = case when exists (select from past) then null else c.struck_at end,
    seen = c.seen and not exists (select from past)
  where ${isSamePlace("excluded.account_uid", "excluded.region", "excluded.name")}
  returning ${columns}
)
select case when a.refused <> '' or o.id is not null then a.refused
    when exists (select from simulated_cluster c where c.id = $4) then 'taken' else 'full' end as refused, o.*
from admitted a left join opened o on true`;
}

function isSamePlace(accountUid: string, region: string, name: string): string {
  return `c.account_uid = ${accountUid} and c.region = ${region} and c.name = ${name}`;
}

type Refusal = "ended" | "real" | "lapsed";
type OpenedRow = SimulatedClusterRow & { readonly refused: "" | Refusal | "taken" | "full" };

/** Returns the opened cluster, or the reason why the run was refused. Throws if the cluster cannot be opened for any run. */
function readOpened({ refused, ...cluster }: OpenedRow, { accountUid, name }: SimulatedClusterPlace): OpenedCluster {
  if (refused === "taken")
    throw new Fault(
      storeFaults.simulated_cluster_taken,
      `the id of cluster "${name}" in account ${accountUid} is already in use`,
    );
  if (refused === "full") {
    const message = `account ${accountUid} already has ${mostRequested} requested clusters that do not exist yet; cluster "${name}" was not added`;
    throw new Fault(storeFaults.simulated_clusters_full, message);
  }
  return refused === "" ? { cluster } : { refused };
}

/** The cluster that a run requested, or the reason why the run was refused. */
export type OpenedCluster = { readonly cluster: SimulatedClusterRow } | { readonly refused: Refusal };

/**
 * Returns the cluster that a run is creating or has created in its account's cloud. Repeated calls return the same cluster. The run must
 * hold its lease.
 */
export async function openSimulatedCluster(
  database: Database,
  run: SimulatingRun,
  place: SimulatedClusterPlace,
  given: { readonly version: string; readonly createdAtMs: number; readonly recordTypes: readonly string[] },
): Promise<OpenedCluster> {
  const { accountUid, region, name } = place;
  const { version, createdAtMs, recordTypes } = given;
  const id = renderSimulatedClusterId(place);
  const values = [accountUid, run.hash, run.taskUid, id, region, name, version, createdAtMs, recordTypes];
  const { rows } = await database.query<OpenedRow>({ name: "open-simulated-cluster", text: open, values });
  const [row] = rows;
  if (row === undefined) throw new Error("the statement returned no row");
  return readOpened(row, place);
}

/**
 * Returns the cluster that a user is creating or has created through the API of the simulated cloud. Returns undefined if the account does
 * not exist.
 */
export async function expectSimulatedCluster(
  database: Database,
  place: SimulatedClusterPlace,
  given: { readonly version: string; readonly createdAtMs: number; readonly recordTypes: readonly string[] },
): Promise<SimulatedClusterRow | undefined> {
  const { accountUid, region, name } = place;
  const id = renderSimulatedClusterId(place);
  const values = [accountUid, null, null, id, region, name, given.version, given.createdAtMs, given.recordTypes];
  const { rows } = await database.query<OpenedRow>({ name: "expect-simulated-cluster", text: expect, values });
  if (rows[0] === undefined) return undefined;
  const opened = readOpened(rows[0], place);
  return "cluster" in opened ? opened.cluster : undefined;
}

/**
 * Returns, for each account, a fingerprint of all its records of these types. The fingerprint changes whenever one of the records changes.
 */
export async function fingerprintSimulatedClusters(
  database: Database,
  types: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  // Uses the sum instead of the maximum, because a late commit may have an earlier time than one that was already seen.
  const text = `select account_uid as "accountUid", count(*) || ' ' || sum(extract(epoch from changed_at)) as fingerprint from simulated_record
where type = any($1) group by account_uid`;
  const { rows } = await database.query<{ accountUid: string; fingerprint: string }>({ text, values: [types] });
  return new Map(rows.map(({ accountUid, fingerprint }) => [accountUid, fingerprint]));
}
