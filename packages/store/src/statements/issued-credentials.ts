import type { Database } from "../pool.ts";

/** The data needed to recognise existing credentials. A recognised credential is not necessarily still valid. */
export interface IssuedCredentials {
  /** Hashes of API keys and browser sessions. */
  readonly hashes: readonly Buffer[];
  readonly agents: readonly { readonly uid: string; readonly publicKey: string }[];
}

/** Returns all credentials that exist. */
export async function listIssuedCredentials(database: Database): Promise<IssuedCredentials> {
  const { rows: hashes } = await database.query<{ hash: Buffer }>({
    name: "list-issued-hashes",
    text: "select hash from api_key union all select hash from session",
    values: [],
  });
  const { rows: agents } = await database.query<{ uid: string; publicKey: string }>({
    name: "list-issued-agents",
    text: `select uid, object #>> '{spec,publicKey}' as "publicKey" from entity
where kind = 'Agent' and deleted_at is null and object #>> '{spec,publicKey}' <> ''`,
    values: [],
  });
  return { hashes: hashes.map(({ hash }) => hash), agents };
}
