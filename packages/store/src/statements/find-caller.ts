import type { Database } from "../pool.ts";

/** The user that a credential identifies, with all of the user's roles. */
export interface CallerRow {
  readonly user_uid: string;
  readonly user_name: string;
  readonly disabled: boolean;
  readonly key_uid: string | null;
  readonly prefix: string;
  readonly expires_at: Date | null;
  /** Expiry of the API key itself, which may be later than that of the session. */
  readonly key_expires_at: Date | null;
  /** Project to which the key is restricted. Empty if the key is valid for all projects. */
  readonly cap_project: string;
  /** Highest role that the key allows. Empty if the role is not restricted. */
  readonly cap_role: string;
  readonly grants: readonly { readonly project: string; readonly environment: string; readonly role: string }[];
}

const user = `u.uid as user_uid, u.name as user_name, coalesce(u.object #>> '{spec,disabled}' = 'true', false) as disabled,
  coalesce((
    select json_agg(json_build_object('project', b.project, 'environment', b.environment, 'role', b.object #>> '{spec,role}') order by b.uid)
    from entity b where b.subject_uid = u.uid and b.kind = 'RoleBinding'
  ), '[]') as grants`;
const key = "k.uid as key_uid, k.prefix, k.expires_at as key_expires_at, k.project as cap_project, k.role as cap_role";

const byKey = `select ${key}, k.expires_at, ${user} from api_key k join entity u on u.uid = k.user_uid where k.hash = $1`;
const byKeyUid = `select ${key}, k.expires_at, ${user} from api_key k join entity u on u.uid = k.user_uid where k.uid = $1`;
const bySession = `select ${key}, least(s.expires_at, k.expires_at) as expires_at, ${user}
from session s join api_key k on k.uid = s.key_uid join entity u on u.uid = k.user_uid where s.hash = $1`;
const byUser = `select null as key_uid, '' as prefix, null as key_expires_at, '' as cap_project, '' as cap_role, null as expires_at, ${user}
from entity u where u.uid = $1 and u.kind = 'User'`;

/** Finds a caller by the hash of an API key. */
export async function findCallerByKey(database: Database, hash: Buffer): Promise<CallerRow | undefined> {
  return (await database.query<CallerRow>({ name: "find-caller-by-key", text: byKey, values: [hash] })).rows[0];
}

/** Finds the caller that an API key identifies, by the key's uid from a verified token. */
export async function findCallerByKeyUid(database: Database, uid: string): Promise<CallerRow | undefined> {
  return (await database.query<CallerRow>({ name: "find-caller-by-key-uid", text: byKeyUid, values: [uid] })).rows[0];
}

/** Finds a caller by the hash of a session cookie. */
export async function findCallerBySession(database: Database, hash: Buffer): Promise<CallerRow | undefined> {
  return (await database.query<CallerRow>({ name: "find-caller-by-session", text: bySession, values: [hash] })).rows[0];
}

/** Finds a caller by the user's uid from a verified token. */
export async function findCallerByUser(database: Database, uid: string): Promise<CallerRow | undefined> {
  return (await database.query<CallerRow>({ name: "find-caller-by-user", text: byUser, values: [uid] })).rows[0];
}
