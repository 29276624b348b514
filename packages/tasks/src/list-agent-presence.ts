import type { Database, EntityRow } from "@cloudwright/store";
import { agentLiveSeconds, type AgentReport } from "./presence.ts";

/** An agent with its last report. */
export interface AgentPresence extends EntityRow {
  /** The last report, or null if the agent has never requested tasks. */
  readonly report: AgentReport | null;
  readonly seenAt: Date | null;
  /** True if the agent has reported recently. */
  readonly isLive: boolean;
  /** Number of tasks that the agent currently holds. */
  readonly runningTasks: number;
}

const text = `select e.uid, e.kind, e.project, e.name, e.parent_uid, e.subject_uid, e.environment_uid, e.environment, e.labels, e.resource_version,
    e.deleted_at, e.object::text as object, e.sealed, p.seen_at as "seenAt",
    coalesce(p.seen_at > clock_timestamp() - make_interval(secs => $1), false) as "isLive",
    case when p.agent_uid is not null then json_build_object('labels', p.labels, 'types', p.types, 'version', p.version,
      'payloadVersions', json_build_object('min', p.min_payload_version, 'max', p.max_payload_version)) end as report,
    coalesce(held.tasks, 0) as "runningTasks"
  from entity e left join agent_presence p on p.agent_uid = e.uid
  left join (select agent_uid, count(*)::int as tasks from task_line where lease_token is not null group by agent_uid) held on held.agent_uid = e.uid
  where e.kind = 'Agent' order by e.uid`;

/** Returns all agents with their last reports. */
export async function listAgentPresence(database: Database): Promise<AgentPresence[]> {
  return (await database.query<AgentPresence>({ name: "list-agent-presence", text, values: [agentLiveSeconds] })).rows;
}
