import { systemProject } from "@cloudwright/contract/kinds";
import type { Database } from "../pool.ts";

const text = `select exists (
  select from entity where kind = 'Agent' and deleted_at is null and (
    project = $1 and project <> $3
    or project = $3 and (
      object #> '{spec,identityProjects}' is not null and (
        exists (select from json_array_elements_text(object #> '{spec,identityProjects}') p where p in ($1, '*')))
      or object #> '{spec,identityAccounts}' is not null and (
        exists (select from json_array_elements_text(object #> '{spec,identityAccounts}') a where a = $2)))
  )) as granted`;

/**
 * Returns whether a project's account may use any agent's cloud identity. All accounts in a project may use the identities of the project's
 * own agents.
 */
export async function hasIdentityGrant(
  database: Database,
  { project, accountUid }: { readonly project: string; readonly accountUid: string },
): Promise<boolean> {
  const values = [project, accountUid, systemProject];
  const { rows } = await database.query<{ granted: boolean }>({ name: "has-identity-grant", text, values });
  return rows[0]?.granted === true;
}
