import { systemProject } from "@cloudwright/contract/kinds";
import { gather } from "@cloudwright/platform";
import type { Database } from "../pool.ts";

/** Permissions that the control plane grants to an agent, regardless of what the agent reports. */
export interface AgentGrants {
  /** Projects whose tasks the agent may get. Undefined means all projects. */
  readonly serves: readonly string[] | undefined;
  /** Projects (`*` for all) and uids of accounts that may use the agent's cloud identity. */
  readonly identity: { readonly projects: readonly string[]; readonly accounts: readonly string[] };
  /** State backends whose secrets the agent must not receive, because other projects use them too. */
  readonly withheldBackends: readonly string[];
}

/** The fields of an agent's spec that contain grants. */
export interface GrantingSpec {
  readonly projects?: readonly string[];
  readonly identityProjects?: readonly string[];
  readonly identityAccounts?: readonly string[];
}

/**
 * Returns an agent's grants. Agents in the `system` project are shared, so using their identities always requires a grant. Any other agent
 * serves its own project, and that project may use the agent's identity. `withheldBackends` is the result of `withheldBackendsOf`.
 */
export function readAgentGrants(project: string, spec: GrantingSpec, withheldBackends: readonly string[]): AgentGrants {
  if (project !== systemProject) return { serves: [project], identity: { projects: [project], accounts: [] }, withheldBackends };
  const { projects = [], identityProjects = [], identityAccounts = [] } = spec;
  return {
    serves: projects.length === 0 ? undefined : projects,
    identity: { projects: identityProjects, accounts: identityAccounts },
    withheldBackends,
  };
}

/**
 * Renders an SQL expression for the names of the state backends whose secrets agents of a project must not receive. The secrets of a backend
 * give access to the states of all its projects. Agents of the `system` project may receive all of them.
 */
export function withheldBackendsOf(project: string): string {
  return `case when ${project} = '${systemProject}' then '{}' else array(
    select b.name from entity b where b.kind = 'Backend' and b.project = '' and b.naming_scope = '' and b.deleted_at is null
      and (b.sealed is not null or coalesce(b.object #>> '{spec,accessKeyId}', '') <> '')
      and (b.object #> '{spec,projects}')::jsonb is distinct from jsonb_build_array(${project}) order by b.name) end`;
}

/** Data about a calling agent that API endpoints need. */
export interface AgentRow {
  readonly uid: string;
  readonly name: string;
  readonly project: string;
  /** The agent's public key as JSON text, or empty if the agent has none. */
  readonly public_key: string;
  readonly draining: boolean;
  readonly grants: AgentGrants;
}

interface FoundGrants {
  readonly spec: GrantingSpec | null;
  readonly withheld: readonly string[];
}

const text = `select uid, name, project, coalesce(object #>> '{spec,publicKey}', '') as public_key,
  coalesce(object #>> '{spec,draining}' = 'true', false) as draining, object -> 'spec' as spec, ${withheldBackendsOf("e.project")} as withheld
from entity e where uid = any ($1) and kind = 'Agent' and deleted_at is null`;

const finders = new WeakMap<Database, (uid: string) => Promise<AgentRow | undefined>>();

/** Finds an agent in any project. Concurrent lookups share one statement. */
export async function findAgent(database: Database, uid: string): Promise<AgentRow | undefined> {
  const find = finders.get(database) ?? gather((uids: readonly string[]) => findAgents(database, uids));
  finders.set(database, find);
  return find(uid);
}

async function findAgents(database: Database, uids: readonly string[]): Promise<(AgentRow | undefined)[]> {
  const { rows } = await database.query<Omit<AgentRow, "grants"> & FoundGrants>({
    name: "find-agents",
    text,
    values: [[...new Set(uids)]],
  });
  const byUid = new Map(
    rows.map(({ spec, withheld, ...row }) => [row.uid, { ...row, grants: readAgentGrants(row.project, spec ?? {}, withheld) }]),
  );
  return uids.map((uid) => byUid.get(uid));
}
