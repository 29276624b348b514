import type { JsonObject } from "@cloudwright/contract";
import type { Database } from "../pool.ts";

/** A state backend that operators allow projects to use, with its encrypted secrets. */
export interface BackendRow {
  readonly uid: string;
  readonly name: string;
  readonly spec: {
    readonly type?: string;
    readonly settings?: Readonly<Record<string, string>>;
    readonly prefix?: string;
    readonly projects?: readonly string[];
    readonly keptLocations?: Readonly<Record<string, string>>;
    readonly accessKeyId?: string;
  };
  readonly sealed: Buffer | null;
}

const text = `select uid, name, object -> 'spec' as spec, sealed from entity
where kind = 'Backend' and project = '' and naming_scope = '' and deleted_at is null order by name`;

/** Returns all state backends, sorted by name. There are few, because each stands for a bucket or a database. */
export async function listBackends(database: Database): Promise<BackendRow[]> {
  return (await database.query<BackendRow>({ name: "list-backends", text, values: [] })).rows;
}

const usedText = `select kind, project, name from entity
where project <> '' and object #>> '{spec,infra,backend,name}' = $1 order by project, kind, name limit 1`;

/** Returns an entity whose state is stored in this backend, or undefined if there is none. */
export async function findBackendUser(
  database: Database,
  backend: string,
): Promise<{ readonly kind: string; readonly project: string; readonly name: string } | undefined> {
  const { rows } = await database.query<{ kind: string; project: string; name: string }>({
    name: "find-backend-user",
    text: usedText,
    values: [backend],
  });
  return rows[0];
}

/** An entity whose state is stored outside the platform. */
export interface BackendUseRow {
  readonly uid: string;
  readonly kind: string;
  readonly project: string;
  readonly name: string;
  /** `spec.infra.backend` of the entity. */
  readonly backend: JsonObject;
}

const usesText = `select uid, kind, project, name, object #> '{spec,infra,backend}' as backend from entity
where project <> '' and coalesce(object #>> '{spec,infra,backend,type}', '') <> '' and ($1::uuid is null or uid < $1) order by uid desc limit $2`;

/** Returns one page of the entities whose states are stored outside the platform, newest first. */
export async function listBackendUses(
  database: Database,
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): Promise<BackendUseRow[]> {
  return (await database.query<BackendUseRow>({ text: usesText, values: [after ?? null, limit] })).rows;
}
