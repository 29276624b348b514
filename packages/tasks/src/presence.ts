import { readAgentGrants, withheldBackendsOf, type Database, type GrantingSpec } from "@cloudwright/store";
import type { AgentAbility } from "./match-agent.ts";
import { parseAgentLabels } from "./placement.ts";

/** An agent's description of itself, sent with each request for tasks. Multiple values of a label are separated by commas. */
export interface AgentReport {
  readonly labels: Readonly<Record<string, string>>;
  readonly types: readonly string[];
  readonly payloadVersions: { readonly min: number; readonly max: number };
  readonly version: string;
}

/** An agent is considered live if its last report is at most this old. */
export const agentLiveSeconds = 45;

/** Minimum interval between writes while an agent's report is unchanged. */
const noteEveryMs = 5000;

/** Cache limit, higher than the number of agents that one process serves. Losing an entry only costs an extra write. */
const mostNoted = 10_000;

const notedBy = new WeakMap<Database, Map<string, { readonly said: string; readonly atMs: number }>>();

/** Records that an agent is alive and, if `report` is given, its abilities. Most calls write nothing. */
export async function noteAgent(
  deps: { readonly database: Database; readonly nowMs: number },
  agentUid: string,
  report?: AgentReport,
): Promise<void> {
  const { database, nowMs } = deps;
  const noted = notedBy.get(database) ?? new Map<string, { said: string; atMs: number }>();
  notedBy.set(database, noted);
  const before = noted.get(agentUid);
  const said = report === undefined ? (before?.said ?? "") : JSON.stringify(report);
  if (before !== undefined && before.said === said && Math.abs(nowMs - before.atMs) < noteEveryMs) return;
  if (noted.size >= mostNoted) noted.clear();
  noted.set(agentUid, { said, atMs: nowMs });
  try {
    await (report === undefined ? touchPresence(database, agentUid) : writePresence(database, agentUid, report));
  } catch (error) {
    noted.delete(agentUid);
    throw error;
  }
}

async function touchPresence(database: Database, agentUid: string): Promise<void> {
  const text = "update agent_presence set seen_at = clock_timestamp() where agent_uid = $1";
  await database.query({ name: "touch-presence", text, values: [agentUid] });
}

async function writePresence(database: Database, agentUid: string, report: AgentReport): Promise<void> {
  // The statement inserts nothing if the agent's entity no longer exists.
  const text = `insert into agent_presence (agent_uid, seen_at, labels, types, min_payload_version, max_payload_version, version)
    select uid, clock_timestamp(), $2, $3, $4, $5, $6 from entity where uid = $1 and kind = 'Agent' for key share
    on conflict (agent_uid) do update set seen_at = excluded.seen_at, labels = excluded.labels, types = excluded.types,
      min_payload_version = excluded.min_payload_version, max_payload_version = excluded.max_payload_version, version = excluded.version`;
  const { labels, types, payloadVersions, version } = report;
  const values = [agentUid, JSON.stringify(labels), JSON.stringify(types), payloadVersions.min, payloadVersions.max, version];
  await database.query({ name: "write-presence", text, values });
}

/** An agent that has reported recently and is not draining. */
export interface LiveAgent extends AgentAbility {
  readonly uid: string;
  readonly name: string;
  /** Agents in the `system` project serve all projects. Other agents serve only their own project. */
  readonly project: string;
  /** Projects whose tasks the agent may get. All projects if undefined. */
  readonly serves: readonly string[] | undefined;
}

interface PresenceRow {
  readonly uid: string;
  readonly name: string;
  readonly project: string;
  readonly spec: GrantingSpec | null;
  readonly withheld: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly types: readonly string[];
  readonly min: number;
  readonly max: number;
}

/** Returns the agents that can get tasks. */
export async function listLiveAgents(database: Database): Promise<LiveAgent[]> {
  // The limit forces an index lookup. Otherwise a plan cached while there were few entities would later scan all of them.
  const text = `select e.uid, e.name, e.project, e.object -> 'spec' as spec, ${withheldBackendsOf("e.project")} as withheld, p.labels, p.types, p.min_payload_version as min, p.max_payload_version as max
    from agent_presence p cross join lateral (select * from entity where uid = p.agent_uid limit 1) e
    where p.seen_at > clock_timestamp() - make_interval(secs => $1) and e.object #>> '{spec,draining}' is distinct from 'true' order by e.uid`;
  const { rows } = await database.query<PresenceRow>({ name: "list-live-agents", text, values: [agentLiveSeconds] });
  return rows.map(({ uid, name, project, spec, withheld, labels, types, min, max }) => {
    const { serves, identity, withheldBackends } = readAgentGrants(project, spec ?? {}, withheld);
    return {
      uid,
      name,
      project,
      serves,
      identity,
      withheldBackends,
      ...readAbility({ labels, types, payloadVersions: { min, max } }),
    };
  });
}

/** Extracts an agent's abilities from its report. */
export function readAbility({ labels, types, payloadVersions }: Omit<AgentReport, "version">): AgentAbility {
  return { labels: parseAgentLabels(labels), types: types.includes("*") ? "*" : types, payloadVersions };
}
