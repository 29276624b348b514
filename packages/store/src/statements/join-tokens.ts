import type { Database } from "../pool.ts";

/** A token that allows one agent to join. */
export interface JoinTokenRow {
  readonly project: string;
  readonly project_uid: string;
  readonly created_by: string;
  readonly expires_at: Date;
  /** The agent that has used the token, or null. */
  readonly agent_uid: string | null;
}

/**
 * Stores a new join token, which is deleted together with the API key that created it. Returns false if the token's project does not exist.
 */
export async function insertJoinToken(
  database: Database,
  token: { hash: Buffer; project: string; createdBy: string; keyUid: string | null; expiresAt: string },
): Promise<boolean> {
  const text = `insert into join_token (hash, project_uid, project, created_by, key_uid, expires_at)
    select $1, uid, name, $3, $4, $5 from entity
    where project = '' and kind = 'Project' and naming_scope = '' and name = $2 and deleted_at is null for key share returning hash`;
  const values = [token.hash, token.project, token.createdBy, token.keyUid, token.expiresAt];
  return (await database.query({ text, values })).rows.length === 1;
}

/** Finds a token by its hash and locks it until the transaction ends. If two agents use it at the same time, the second one waits. */
export async function lockJoinToken(database: Database, hash: Buffer): Promise<JoinTokenRow | undefined> {
  const text = "select project, project_uid, created_by, expires_at, agent_uid from join_token where hash = $1 for update";
  return (await database.query<JoinTokenRow>({ text, values: [hash] })).rows[0];
}

/** Marks a token as used by an agent. */
export async function useJoinToken(database: Database, hash: Buffer, agentUid: string): Promise<void> {
  await database.query({ text: "update join_token set agent_uid = $2 where hash = $1", values: [hash, agentUid] });
}
