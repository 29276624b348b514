-- Which entities want the reconciler's attention, and when. `wakes` counts the reasons, so that one that comes while the
-- reconciler works is not lost when it is done.
create table due (
  entity_uid uuid primary key references entity (uid) on delete cascade,
  due_at     timestamptz not null,
  wakes      bigint not null default 1
);
create index due_at on due (due_at);

create function wake_entities(uids uuid[], at timestamptz) returns void language sql as $$
  insert into due (entity_uid, due_at)
  select uid, at from entity where uid = any (uids) order by uid
  on conflict (entity_uid) do update set due_at = least(due.due_at, excluded.due_at), wakes = due.wakes + 1
$$;

-- One piece of work. Tasks of one entity run strictly in order: only its first unfinished task is ready or leased (the head of
-- the line), the others wait. `key` is a hash of the inputs: the same input is never enqueued twice.
create table task (
  uid             uuid primary key,
  key             text collate "C" not null,
  position        bigint generated always as identity,
  project         text collate "C" not null,
  entity_uid      uuid not null,
  entity_kind     text not null,
  entity_name     text not null,
  operation_uid   uuid,
  account_uid     uuid,
  type            text not null,
  lane            text collate "C" not null,
  placement       text collate "C" not null,       -- canonical JSON of the labels an agent must have
  priority        integer not null,
  state           text not null check (state in ('waiting', 'ready', 'leased', 'done', 'failed', 'cancelled')),
  payload         json not null,
  payload_version integer not null,
  attempt         integer not null default 0,
  max_attempts    integer not null,
  not_before      timestamptz not null default now(),
  lease_token     uuid,
  leased_until    timestamptz,
  agent_uid       uuid,
  cancel_reason   text not null default '',
  progress        json,
  outcome         json,
  created_at      timestamptz not null default now(),
  started_at      timestamptz,
  finished_at     timestamptz
) with (fillfactor = 70);
create unique index task_key on task (key);
create unique index task_head on task (entity_uid) where state in ('ready', 'leased');
create index task_waiting on task (entity_uid, position) where state = 'waiting';
create index task_ready on task (lane, placement, project, priority desc, position) where state = 'ready';
create index task_leased on task (leased_until) where state = 'leased';
create index task_entity on task (entity_uid, position desc);
create index task_operation on task (operation_uid) where operation_uid is not null;
create index task_listed on task (project, uid desc);

-- Finished attempts, for the timeline.
create table task_attempt (
  task_uid    uuid not null references task (uid) on delete cascade,
  attempt     integer not null,
  agent_uid   uuid,
  started_at  timestamptz not null,
  finished_at timestamptz not null,
  outcome     json not null,
  primary key (task_uid, attempt)
);

create table task_log (
  task_uid uuid not null references task (uid) on delete cascade,
  attempt  integer not null,
  seq      integer not null,
  at       timestamptz not null,
  line     text not null,
  primary key (task_uid, attempt, seq)
);

-- Locks of an entity's line of tasks. Taken before anything looks at the line, in one order, so that no two of them wait for each other.
create function lock_lines(entities uuid[]) returns void language plpgsql as $$
declare entity uuid;
begin
  for entity in select distinct unnest(entities) order by 1 loop
    perform pg_advisory_xact_lock(('x' || right(replace(entity::text, '-', ''), 16))::bit(64)::bigint);
  end loop;
end $$;

-- Makes the first waiting task of each line ready where nothing is ready or leased.
create function promote_lines(entities uuid[]) returns void language sql as $$
  update task set state = 'ready'
  from (select distinct unnest(entities) as entity_uid) line
  cross join lateral (
    select uid from task where entity_uid = line.entity_uid and state = 'waiting' order by position limit 1
  ) first
  where task.uid = first.uid
    and not exists (select from task head where head.entity_uid = line.entity_uid and head.state in ('ready', 'leased'))
$$;

create function enqueue_tasks(rows json) returns setof uuid language plpgsql as $$
declare entities uuid[];
begin
  entities := array(select r.entity_uid from json_populate_recordset(null::task, rows) r);
  perform lock_lines(entities);
  return query
    insert into task (uid, key, project, entity_uid, entity_kind, entity_name, operation_uid, account_uid, type, lane, placement, priority,
      state, payload, payload_version, max_attempts)
    select r.uid, r.key, r.project, r.entity_uid, r.entity_kind, r.entity_name, r.operation_uid, r.account_uid, r.type, r.lane, r.placement,
      r.priority, 'waiting', r.payload, r.payload_version, r.max_attempts
    from json_populate_recordset(null::task, rows) r
    on conflict (key) do nothing
    returning uid;
  perform promote_lines(entities);
end $$;

-- The distinct (placement, project) pairs with ready tasks, by hopping over the index rather than reading it.
create function ready_groups(wanted_lane text, placements text[]) returns table (placement text, project text) language sql stable as $$
  with recursive hops as (
    (select t.placement, t.project from task t where t.state = 'ready' and t.lane = wanted_lane order by t.placement, t.project limit 1)
    union all
    select next.placement, next.project from hops cross join lateral (
      select t.placement, t.project from task t
      where t.state = 'ready' and t.lane = wanted_lane and (t.placement, t.project) > (hops.placement, hops.project)
      order by t.placement, t.project limit 1
    ) next
  )
  select hops.placement, hops.project from hops where hops.placement = any (placements)
$$;

-- Leases up to `wanted` tasks. Projects take turns, those with the least running first; a project at its quota and an account at its
-- budget wait. A task whose account another lease call is just looking at is left for the next call.
create function lease_tasks(
  agent uuid, wanted_lane text, placements text[], projects text[], wanted integer, lease_seconds double precision,
  min_version integer, max_version integer, project_quota integer, account_budget integer
) returns setof task language plpgsql as $$
declare
  turn record;
  candidate record;
  picked uuid[] := '{}';
  taken integer;
  room integer;
begin
  -- Two rounds: first everyone's fair share, then whatever room is left.
  for round in 1..2 loop
    for turn in
      select g.placement, g.project, coalesce(r.running, 0)::integer as running, count(*) over ()::integer as groups
      from ready_groups(wanted_lane, placements) g
      left join (select t.project, count(*) as running from task t where t.state = 'leased' and t.lane = wanted_lane group by 1) r on r.project = g.project
      where projects is null or g.project = any (projects)
      order by 3, random()
    loop
      exit when cardinality(picked) >= wanted;
      taken := (select count(*) from task p where p.uid = any (picked) and p.project = turn.project);
      room := least(wanted - cardinality(picked), project_quota - turn.running - taken);
      if round = 1 then room := least(room, greatest(1, ceil(wanted::numeric / turn.groups)::integer - taken)); end if;
      continue when room <= 0;
      for candidate in
        select t.uid, t.account_uid from task t
        where t.state = 'ready' and t.lane = wanted_lane and t.placement = turn.placement and t.project = turn.project
          and t.not_before <= now() and t.payload_version between min_version and max_version and t.uid <> all (picked)
        order by t.priority desc, t.position limit room for update skip locked
      loop
        if candidate.account_uid is not null then
          continue when not pg_try_advisory_xact_lock(('x' || right(replace(candidate.account_uid::text, '-', ''), 16))::bit(64)::bigint + 1);
          continue when account_budget <= (
            select count(*) from task t where t.account_uid = candidate.account_uid and (t.state = 'leased' or t.uid = any (picked)));
        end if;
        picked := picked || candidate.uid;
      end loop;
    end loop;
    exit when cardinality(picked) >= wanted;
  end loop;
  return query
    update task t set state = 'leased', attempt = t.attempt + 1, lease_token = gen_random_uuid(), agent_uid = agent, progress = null,
      leased_until = clock_timestamp() + make_interval(secs => lease_seconds), started_at = clock_timestamp()
    where t.uid = any (picked)
    returning t.*;
end $$;

-- Renews leases and stores what the agents said meanwhile. A row comes back for each lease that is still the caller's.
create function renew_tasks(rows json, lease_seconds double precision) returns table (uid uuid, cancel_reason text) language sql as $$
  update task t set leased_until = clock_timestamp() + make_interval(secs => lease_seconds), progress = coalesce(r.progress, t.progress)
  from json_to_recordset(rows) as r (uid uuid, lease_token uuid, progress json)
  where t.uid = r.uid and t.lease_token = r.lease_token and t.state = 'leased'
  returning t.uid, t.cancel_reason
$$;

-- Ends attempts, by the lease's token only. `state` is what the task becomes: done, failed, cancelled, or ready to be tried again.
create function finish_tasks(rows json) returns setof task language plpgsql as $$
declare entities uuid[];
begin
  entities := array(
    select t.entity_uid from task t join json_to_recordset(rows) as r (uid uuid, lease_token uuid) on t.uid = r.uid and t.lease_token = r.lease_token);
  perform lock_lines(entities);
  return query
    with ended as (
      update task t set state = r.state, outcome = r.outcome, lease_token = null, leased_until = null,
        not_before = clock_timestamp() + make_interval(secs => coalesce(r.delay_seconds, 0)),
        attempt = t.attempt - case when r.uncounted then 1 else 0 end,
        finished_at = case when r.state = 'ready' then null else clock_timestamp() end
      from json_to_recordset(rows) as r (uid uuid, lease_token uuid, state text, outcome json, delay_seconds double precision, uncounted boolean)
      where t.uid = r.uid and t.lease_token = r.lease_token and t.state = 'leased'
      returning t.*
    ), attempts as (
      insert into task_attempt (task_uid, attempt, agent_uid, started_at, finished_at, outcome)
      select e.uid, e.attempt, e.agent_uid, e.started_at, clock_timestamp(), e.outcome from ended e where e.state <> 'ready' or e.attempt > 0
      on conflict (task_uid, attempt) do update set finished_at = excluded.finished_at, outcome = excluded.outcome, agent_uid = excluded.agent_uid
    )
    select * from ended;
  perform promote_lines(entities);
  perform wake_entities(entities, now());
end $$;

-- Takes back tasks that nobody has begun, and asks agents to stop those that are leased when `leased_too`.
create function cancel_tasks(uids uuid[], reason text, leased_too boolean) returns setof task language plpgsql as $$
declare entities uuid[];
begin
  entities := array(select t.entity_uid from task t where t.uid = any (uids));
  perform lock_lines(entities);
  return query
    update task t set
      state = case when t.state = 'leased' then 'leased' else 'cancelled' end,
      cancel_reason = reason,
      finished_at = case when t.state = 'leased' then null else clock_timestamp() end
    where t.uid = any (uids) and (t.state in ('waiting', 'ready') or (leased_too and t.state = 'leased'))
    returning t.*;
  perform promote_lines(entities);
  perform wake_entities(entities, now());
end $$;

-- Takes over leases that ran out: tried again, or failed when the attempts are used up.
create function reap_tasks(grace_seconds double precision, outcome json) returns setof task language plpgsql as $$
declare expired uuid[]; entities uuid[];
begin
  expired := array(select t.uid from task t where t.state = 'leased' and t.leased_until < clock_timestamp() - make_interval(secs => grace_seconds)
    order by t.leased_until limit 500);
  entities := array(select t.entity_uid from task t where t.uid = any (expired));
  perform lock_lines(entities);
  return query
    with ended as (
      update task t set
        state = case when t.cancel_reason <> '' then 'cancelled' when t.attempt >= t.max_attempts then 'failed' else 'ready' end,
        outcome = reap_tasks.outcome, lease_token = null, leased_until = null,
        finished_at = case when t.cancel_reason <> '' or t.attempt >= t.max_attempts then clock_timestamp() end
      where t.uid = any (expired) and t.state = 'leased' and t.leased_until < clock_timestamp() - make_interval(secs => grace_seconds)
      returning t.*
    ), attempts as (
      insert into task_attempt (task_uid, attempt, agent_uid, started_at, finished_at, outcome)
      select e.uid, e.attempt, e.agent_uid, e.started_at, clock_timestamp(), e.outcome from ended e
      on conflict (task_uid, attempt) do nothing
    )
    select * from ended;
  perform promote_lines(entities);
  perform wake_entities(entities, now());
end $$;
