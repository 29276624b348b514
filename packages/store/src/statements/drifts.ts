import type { Database } from "../pool.ts";

/** A report of changes that were made outside the platform. */
export interface DriftRow {
  readonly uid: string;
  readonly project: string;
  readonly environment: string;
  readonly kind: string;
  readonly entityUid: string;
  readonly name: string;
  readonly taskUid: string;
  readonly foundAt: Date;
  readonly items: readonly DriftItemRow[];
  readonly ignored: number;
  readonly endedAt: Date | null;
  readonly endedAs: "accepted" | "corrected" | "kept" | "gone" | null;
}

export interface DriftItemRow {
  readonly address: string;
  readonly resourceType: string;
  readonly action: string;
  readonly paths: readonly string[];
  /** Old and new values of the changed attributes. Reports from earlier releases lack this field and the fields below. */
  readonly attributes?: readonly Readonly<Record<string, unknown>>[];
  readonly author?: string;
  readonly authorAction?: string;
  readonly changedAt?: string;
}

const drifts = `select d.uid, e.project, e.environment, e.kind, d.entity_uid as "entityUid", e.name, d.task_uid as "taskUid", d.found_at as "foundAt",
  d.items, d.ignored, d.ended_at as "endedAt", d.ended_as as "endedAs"
from drift d join entity e on e.uid = d.entity_uid where e.project = $1`;

/** Finds a drift report in a project by its uid, or the newest report of an entity by the entity's uid. */
export async function findDrift(database: Database, project: string, uid: string): Promise<DriftRow | undefined> {
  const text = `${drifts} and (d.uid = $2 or d.entity_uid = $2) order by d.found_at desc limit 1`;
  return (await database.query<DriftRow>({ name: "find-drift", text, values: [project, uid] })).rows[0];
}

/** Parameters for a page of reports, newest first. */
export interface DriftList {
  readonly project: string;
  readonly environments: readonly string[] | undefined;
  readonly entityUid: string | undefined;
  /** Whether to include reports that have ended. */
  readonly all: boolean;
  readonly after: string | undefined;
  readonly limit: number;
}

/** Returns one page of the drift reports in a project. */
export async function listDrifts(database: Database, list: DriftList): Promise<DriftRow[]> {
  const text = `${drifts} and ($2::text[] is null or e.environment = any ($2)) and ($3::uuid is null or d.entity_uid = $3)
    and ($4 or d.ended_at is null) and ($5::uuid is null or d.uid < $5) order by d.uid desc limit $6`;
  const { project, environments, entityUid, all, after, limit } = list;
  const values = [project, environments ?? null, entityUid ?? null, all, after ?? null, limit];
  return (await database.query<DriftRow>({ text, values })).rows;
}

/** Marks a report as accepted, which ends it. Returns false if it has already ended. */
export async function acceptDrift(database: Database, uid: string): Promise<boolean> {
  const text = "update drift set ended_at = clock_timestamp(), ended_as = 'accepted' where uid = $1 and ended_at is null";
  return (await database.query({ name: "accept-drift", text, values: [uid] })).rowCount === 1;
}
