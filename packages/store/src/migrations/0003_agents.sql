-- Tokens that let one agent join each. Kept as hashes; a token goes with its project, so that a later project of the same name has nothing
-- to do with it. Used ones stay until they run out: an agent that lost the answer may ask again.
create table join_token (
  hash        bytea primary key,                   -- sha256; tokens have 256 bits of entropy
  project_uid uuid not null references entity (uid) on delete cascade,
  project     text collate "C" not null,
  created_by  text not null,
  expires_at  timestamptz not null,
  agent_uid   uuid                                 -- set: used by this agent
);
create index join_token_project on join_token (project_uid);
create index join_token_expires on join_token (expires_at);

-- When each agent was last heard of and what it said it can do. Written often, so it is kept apart from the entity.
create table agent_presence (
  agent_uid           uuid primary key references entity (uid) on delete cascade,
  seen_at             timestamptz not null,
  labels              json not null,
  types               json not null,
  min_payload_version integer not null,
  max_payload_version integer not null,
  version             text not null
) with (fillfactor = 70);

-- Agents are looked through every few seconds, whatever else there is.
create index entity_agent on entity (uid) where kind = 'Agent';

-- Renews leases and keeps what the agents said meanwhile; gives back those that are still the caller's, and wakes the entities whose
-- progress is news. Whose lease it is does not matter when `agent` is null.
drop function renew_tasks(uuid[], uuid[], text[], double precision);
create function renew_tasks(agent uuid, uids uuid[], tokens uuid[], progresses text[], lease_seconds double precision)
returns table (uid uuid, cancel_reason text, leased_until timestamptz, changed boolean) language plpgsql
  set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
  set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  held uuid[];
  said text[];
  news uuid[];
begin
  select array_agg(h.entity_uid), array_agg(h.progress), array_agg(h.entity_uid) filter (where h.progress <> h.before) into held, said, news from (
    select l.entity_uid, g.progress, coalesce(l.progress::text, '') as before
    from unnest(uids, tokens, progresses) as g (uid, token, progress)
    join task t on t.uid = g.uid join task_line l on l.entity_uid = t.entity_uid
    where l.task_uid = g.uid and l.lease_token is not distinct from g.token and (agent is null or l.agent_uid = agent)
    order by l.entity_uid for update of l
  ) h;
  if held is null then return; end if;
  return query
    update task_line l set leased_until = clock_timestamp() + make_interval(secs => lease_seconds), progress = coalesce(h.progress::json, l.progress)
    from unnest(held, said) as h (entity_uid, progress) where l.entity_uid = h.entity_uid
    returning l.task_uid, l.cancel_reason, l.leased_until, l.entity_uid = any (coalesce(news, '{}'));
  if news is not null then perform wake_entities(news, now()); end if;
end $$;
