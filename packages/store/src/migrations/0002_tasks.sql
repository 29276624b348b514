-- Which entities want the reconciler's attention, and when. `wakes` counts the reasons, so that one that comes while the
-- reconciler works is not lost when it is done. No foreign key: ending a task would lock the entity's row for it.
create table due (
  entity_uid uuid primary key,
  due_at     timestamptz not null,
  wakes      bigint not null default 1
) with (fillfactor = 70);
create index due_at on due (due_at);

create function wake_entities(uids uuid[], at timestamptz) returns void language plpgsql as $$
begin
  insert into due (entity_uid, due_at) select distinct uid, at from unnest(uids) as uid order by uid
  on conflict (entity_uid) do update set due_at = least(due.due_at, excluded.due_at), wakes = due.wakes + 1;
end $$;

-- What an agent must have to take a task: the labels, a handler for the type, and a release that reads the payload. Few rows, never changed
-- or deleted, and numbered without gaps in the order they are committed: who knows the first n knows all up to n.
create table task_demand (
  id              integer primary key,
  placement       text collate "C" not null,       -- canonical JSON of the labels
  type            text collate "C" not null,
  payload_version integer not null,
  unique (placement, type, payload_version)
);

-- One piece of work: what was asked for and how it ended. What happens in between is in its line. `key` is a hash of the inputs: the same
-- input is never enqueued twice. A row changes once, when the task ends; no column that changes then is in an index and pages are left
-- half empty, so that it finds room on its own page and no index is written.
create table task (
  uid           uuid primary key,
  key           text collate "C" not null unique,
  position      bigint generated always as identity,
  project       text collate "C" not null,
  entity_uid    uuid not null,
  operation_uid uuid,
  account_uid   uuid not null,                     -- zero for none
  lane          text collate "C" not null check (lane in ('long', 'short')),
  demand        integer not null,
  priority      integer not null,
  max_attempts  integer not null,
  object        json not null,                     -- the task as agents are given it, payload included
  created_at    timestamptz not null default clock_timestamp(),
  ended         text check (ended in ('done', 'failed', 'cancelled')),
  outcome       json,
  cancel_reason text not null default '',
  attempt       integer not null default 0,
  agent_uid     uuid,
  started_at    timestamptz,
  ended_at      timestamptz
) with (fillfactor = 50);
create index task_entity on task (entity_uid, position);
create index task_operation on task (operation_uid) where operation_uid is not null;
create index task_listed on task (project, uid);

-- The head of each entity's line of tasks: the one task that may run. An entity without a row has no open task. Whoever adds to a line,
-- or moves it on, holds its row's lock first: then tasks of one entity run strictly by position, and none is left behind.
-- Locks are taken in the order entity, task_line (by entity_uid), due; who keeps to it never waits in a ring.
create table task_line (
  entity_uid    uuid primary key,
  task_uid      uuid,                              -- null only inside the transaction that starts the line
  lane          text collate "C",
  project       text collate "C",
  account_uid   uuid,
  demand        integer,
  priority      integer,
  position      bigint,
  attempt       integer not null default 0,
  max_attempts  integer,
  delayed_until timestamptz,                       -- set: not to be leased before
  lease_token   uuid,                              -- set: leased
  leased_until  timestamptz,
  agent_uid     uuid,
  started_at    timestamptz,
  cancel_reason text not null default '',          -- set: the agent is asked to stop
  progress      json,
  ready         boolean not null default false     -- has a task that is neither delayed nor leased
) with (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.1);
create index task_ready on task_line (lane, project, account_uid, priority desc, position) where ready;
create index task_leased on task_line (project, account_uid) where lease_token is not null;
create index task_delayed on task_line (delayed_until) where delayed_until is not null;

-- Every task with the state it is in.
create view task_state as
  select t.uid, t.key, t.position, t.project, t.entity_uid, t.operation_uid, t.account_uid, t.lane, t.demand, t.priority, t.max_attempts, t.object,
    t.created_at, t.ended_at, t.outcome,
    case when t.ended is not null then t.ended when l.task_uid is null then 'waiting' when l.lease_token is null then 'ready' else 'leased' end as state,
    coalesce(l.attempt, t.attempt) as attempt,
    coalesce(l.agent_uid, t.agent_uid) as agent_uid,
    coalesce(l.started_at, t.started_at) as started_at,
    coalesce(l.cancel_reason, t.cancel_reason) as cancel_reason,
    l.delayed_until, l.leased_until, l.progress
  from task t left join task_line l on l.entity_uid = t.entity_uid and l.task_uid = t.uid;

-- Attempts that did not end their task.
create table task_attempt (
  task_uid   uuid not null,
  attempt    integer not null,
  agent_uid  uuid,
  started_at timestamptz not null,
  ended_at   timestamptz not null,
  outcome    json not null,
  primary key (task_uid, attempt)
);

create table task_log (
  task_uid uuid not null,
  attempt  integer not null,
  seq      integer not null,
  at       timestamptz not null,
  line     text not null,
  primary key (task_uid, attempt, seq)
);

-- The functions below pin their plans: a plan made while the tables were empty must serve when they are full.

-- Adds tasks to the lines of their entities, in the order given; gives back those whose key was new.
create function enqueue_tasks(rows json) returns setof uuid language plpgsql
  set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
  set plan_cache_mode = force_generic_plan as $$
declare
  entities uuid[] := array(select distinct r.entity_uid from json_to_recordset(rows) as r (entity_uid uuid) order by 1);
begin
  -- Of two that choose the same number the second waits for the first, inserts nothing and chooses the next one.
  while exists (
    select from json_to_recordset(rows) as r (placement text, type text, payload_version integer)
    where not exists (select from task_demand d where (d.placement, d.type, d.payload_version) = (r.placement, r.type, r.payload_version))
  ) loop
    insert into task_demand (id, placement, type, payload_version)
    select (select coalesce(max(d.id), 0) from task_demand d) + row_number() over (order by new.placement, new.type, new.payload_version), new.*
    from (
      select r.placement, r.type, r.payload_version from json_to_recordset(rows) as r (placement text, type text, payload_version integer)
      except select d.placement, d.type, d.payload_version from task_demand d
    ) new
    on conflict do nothing;
  end loop;

  insert into task_line (entity_uid) select unnest(entities) on conflict (entity_uid) do update set task_uid = task_line.task_uid;
  return query
    with written as (
      insert into task (uid, key, project, entity_uid, operation_uid, account_uid, lane, demand, priority, max_attempts, object)
      select r.uid, r.key, r.project, r.entity_uid, r.operation_uid, coalesce(r.account_uid, '00000000-0000-0000-0000-000000000000'), r.lane, d.id,
        r.priority, r.max_attempts, r.object
      from rows from (json_to_recordset(rows) as (
        uid uuid, key text, project text, entity_uid uuid, operation_uid uuid, account_uid uuid, lane text, placement text, type text,
        payload_version integer, priority integer, max_attempts integer, object json
      )) with ordinality r (
        uid, key, project, entity_uid, operation_uid, account_uid, lane, placement, type, payload_version, priority, max_attempts, object, nth)
      join task_demand d on (d.placement, d.type, d.payload_version) = (r.placement, r.type, r.payload_version)
      order by r.nth
      on conflict (key) do nothing
      returning *
    ), headed as (
      update task_line l set task_uid = t.uid, lane = t.lane, project = t.project, account_uid = t.account_uid, demand = t.demand,
        priority = t.priority, position = t.position, max_attempts = t.max_attempts, ready = true
      from (select distinct on (w.entity_uid) w.* from written w order by w.entity_uid, w.position) t
      where l.entity_uid = t.entity_uid and l.task_uid is null
    )
    select w.uid from written w order by w.position;
  delete from task_line l where l.entity_uid = any (entities) and l.task_uid is null;
end $$;

-- Leases up to `wanted` tasks of each lane. Projects take turns, beginning after the one served last; within a project the account with the
-- most urgent, then the oldest task goes first. A project at its quota (per lane) and an account at its budget are passed over.
-- `unknown` is true when the caller must first learn demands that are new to it.
create function lease_tasks(
  agent uuid, lanes text[], wanted integer[], inout served text[], satisfied integer[], known integer, only_projects text[],
  lease_seconds double precision, project_quota integer, account_budget integer, out unknown boolean, out tasks text
) language plpgsql
  set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
  set plan_cache_mode = force_generic_plan as $$
declare
  none constant uuid := '00000000-0000-0000-0000-000000000000';
  leased uuid[] := '{}';
  touched text[] := '{}';
  of_lane text;
  room integer;
  share integer;
  start text;
  after text;
  upto text;
  turns text[];
  generous text[];
  picked uuid[];
  givers text[];
  delayed boolean;
  excess uuid;
begin
  select coalesce(known < (select max(d.id) from task_demand d), false), exists (select from task_line l where l.delayed_until <= now())
    into unknown, delayed;
  if unknown then return; end if;
  if delayed then
    update task_line l set ready = true, delayed_until = null from (
      select d.entity_uid from task_line d where d.delayed_until <= now() order by d.delayed_until limit 100 for update skip locked
    ) over_now where l.entity_uid = over_now.entity_uid;
  end if;

  for nth in 1..cardinality(lanes) loop
    of_lane := lanes[nth];
    room := wanted[nth];
    start := served[nth];
    after := start;
    upto := null;
    generous := '{}';
    while room > 0 loop
      -- Whose turn it is: as many projects as there is room, up to the last name and then from the first, by hopping over the index.
      turns := '{}';
      while after is not null and cardinality(turns) < room loop
        select l.project into after from task_line l where l.ready and l.lane = of_lane and l.project > after order by l.project limit 1;
        if after <= upto or upto is null and after is not null then
          turns := turns || after;
        elsif upto is null and start <> '' then
          upto := start;
          after := '';
        else
          after := null;
        end if;
      end loop;
      share := (room + cardinality(turns) - 1) / nullif(cardinality(turns), 0);
      -- Everybody had a turn: whoever has more may have the room that is left.
      if share is null then
        exit when cardinality(generous) = 0;
        turns := generous;
        generous := '{}';
        share := room;
      end if;
      select array_agg(chosen.entity_uid), array_agg(chosen.project) into picked, givers from (
        select head.entity_uid, turn.project from unnest(turns) as turn (project)
        cross join lateral (
          select one.entity_uid from (
            with recursive hops as (
              (select l.account_uid, l.priority, l.position from task_line l
                where l.ready and l.lane = of_lane and l.project = turn.project
                order by l.account_uid, l.priority desc, l.position limit 1)
              union all
              select next.* from hops cross join lateral (
                select l.account_uid, l.priority, l.position from task_line l
                where l.ready and l.lane = of_lane and l.project = turn.project and l.account_uid > hops.account_uid
                order by l.account_uid, l.priority desc, l.position limit 1
              ) next
            )
            select h.account_uid from hops h order by h.priority desc, h.position
          ) account
          cross join lateral (
            select l.entity_uid from task_line l
            where l.ready and l.lane = of_lane and l.project = turn.project and l.account_uid = account.account_uid and l.demand = any (satisfied)
            order by l.priority desc, l.position
            limit case when account.account_uid = none then share else greatest(0, least(share, account_budget - (
              select count(*) from task_line l
              where l.lease_token is not null and l.project = turn.project and l.account_uid = account.account_uid))) end
            for update skip locked
          ) one
          limit greatest(0, least(share, project_quota - (
            select count(*) from task_line l where l.lease_token is not null and l.project = turn.project and l.lane = of_lane)))
        ) head
        where only_projects is null or turn.project = any (only_projects)
        limit room
      ) chosen;
      continue when picked is null;
      update task_line l set ready = false, lease_token = gen_random_uuid(), leased_until = clock_timestamp() + make_interval(secs => lease_seconds),
        agent_uid = agent, started_at = clock_timestamp(), attempt = l.attempt + 1
      where l.entity_uid = any (picked);
      leased := leased || picked;
      touched := touched || givers;
      served[nth] := givers[cardinality(givers)];
      room := room - cardinality(picked);
      if room > 0 then generous := generous || array(select g from unnest(givers) g group by g having count(*) >= share); end if;
    end loop;
  end loop;
  if cardinality(leased) = 0 then return; end if;

  -- The limits were judged by what was committed then. Lease calls that touch the same project now pass one at a time until they commit,
  -- and the later one puts back what is too much.
  perform pg_advisory_xact_lock(turn.hash) from (select distinct hashtextextended(t, 7265) as hash from unnest(touched) t order by 1) turn;
  if exists (
    select from task_line l where l.lease_token is not null and l.project = any (touched) group by l.project, l.lane having count(*) > project_quota
    union all
    select from task_line l where l.lease_token is not null and l.project = any (touched) and l.account_uid <> none
    group by l.project, l.account_uid having count(*) > account_budget
  ) then
    foreach excess in array array(select l.entity_uid from task_line l where l.entity_uid = any (leased) order by l.priority, l.position desc) loop
      update task_line l set ready = true, lease_token = null, leased_until = null, agent_uid = null, started_at = null, attempt = l.attempt - 1
      where l.entity_uid = excess and (
        (select count(*) from task_line o where o.lease_token is not null and o.project = l.project and o.lane = l.lane) > project_quota
        or l.account_uid <> none and
          (select count(*) from task_line o where o.lease_token is not null and o.project = l.project and o.account_uid = l.account_uid) > account_budget);
      if found then leased := array_remove(leased, excess); end if;
    end loop;
  end if;
  tasks := (
    select '[' || string_agg('{"attempt":' || l.attempt || ',"leaseToken":"' || l.lease_token || '","leaseExpiresAt":' || to_json(l.leased_until)
      || ',"task":' || t.object || '}', ',') || ']'
    from task_line l join task t on t.uid = l.task_uid where l.entity_uid = any (leased));
end $$;

-- Renews leases and keeps what the agents said meanwhile; gives back those that are still the caller's.
create function renew_tasks(uids uuid[], tokens uuid[], progresses text[], lease_seconds double precision)
returns table (uid uuid, cancel_reason text, leased_until timestamptz) language plpgsql
  set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
  set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin
  return query
    with held as (
      select l.entity_uid, g.progress::json as progress from unnest(uids, tokens, progresses) as g (uid, token, progress)
      join task t on t.uid = g.uid join task_line l on l.entity_uid = t.entity_uid
      where l.task_uid = g.uid and l.lease_token is not distinct from g.token
      order by l.entity_uid for update of l
    )
    update task_line l set leased_until = clock_timestamp() + make_interval(secs => lease_seconds), progress = coalesce(held.progress, l.progress)
    from held where l.entity_uid = held.entity_uid
    returning l.task_uid, l.cancel_reason, l.leased_until;
end $$;

-- Ends the heads of lines and moves the lines on: to their next open task, or away. The caller holds their locks.
create function end_heads(entities uuid[], states text[], outcomes text[]) returns void language plpgsql as $$
begin
  with ending as (
    select l.*, e.state, e.outcome::json as outcome from unnest(entities, states, outcomes) as e (uid, state, outcome) join task_line l on l.entity_uid = e.uid
  ), ended as (
    update task t set ended = e.state, outcome = e.outcome, cancel_reason = e.cancel_reason, attempt = e.attempt, agent_uid = e.agent_uid,
      started_at = e.started_at, ended_at = clock_timestamp()
    from ending e where t.uid = e.task_uid
  ), next as (
    select e.entity_uid as line, n.* from ending e left join lateral (
      select t.uid, t.lane, t.project, t.account_uid, t.demand, t.priority, t.position, t.max_attempts from task t
      where t.entity_uid = e.entity_uid and t.position > e.position and t.ended is null order by t.position limit 1
    ) n on true
  ), moved as (
    update task_line l set task_uid = n.uid, lane = n.lane, project = n.project, account_uid = n.account_uid, demand = n.demand, priority = n.priority,
      position = n.position, attempt = 0, max_attempts = n.max_attempts, delayed_until = null, lease_token = null, leased_until = null,
      agent_uid = null, started_at = null, cancel_reason = '', progress = null, ready = true
    from next n where l.entity_uid = n.line and n.uid is not null
  )
  delete from task_line l using next n where l.entity_uid = n.line and n.uid is null;
end $$;

-- Ends attempts, by their lease's token only. A verdict is done, failed, cancelled, retry (while attempts are left, after the delay it asks
-- for itself or the attempt's own of the `delays`) or returned (not counted). With `expired_by`, only where the lease ran out that many seconds ago. Gives back, for each
-- that was held, its entity, the state it came to and its place in the arguments.
create function finish_tasks(
  uids uuid[], tokens uuid[], verdicts text[], outcomes text[], own_delays double precision[], delays double precision[],
  expired_by double precision, out entities uuid[], out states text[], out places integer[]
) language plpgsql
  set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
  set plan_cache_mode = force_generic_plan as $$
declare
  results text[];
begin
  select array_agg(held.entity_uid), array_agg(held.state), array_agg(held.nth), array_agg(outcomes[held.nth]) into entities, states, places, results from (
    select l.entity_uid, g.nth, case
        when g.verdict in ('done', 'failed', 'cancelled') then g.verdict
        when l.cancel_reason <> '' then 'cancelled'
        when g.verdict = 'retry' and l.attempt >= l.max_attempts then 'failed'
        else 'ready'
      end as state
    from unnest(uids, tokens, verdicts) with ordinality as g (uid, token, verdict, nth)
    join task t on t.uid = g.uid join task_line l on l.entity_uid = t.entity_uid
    where l.task_uid = g.uid and l.lease_token is not distinct from g.token
      and (expired_by is null or l.leased_until < clock_timestamp() - make_interval(secs => expired_by))
    order by l.entity_uid for update of l
  ) held;
  if entities is null then return; end if;
  if 'ready' <> all (states) then
    perform end_heads(entities, states, results);
  else
    perform end_heads(
      array(select h.uid from unnest(entities, states) as h (uid, state) where h.state <> 'ready'),
      array(select s from unnest(states) s where s <> 'ready'),
      array(select h.result from unnest(states, results) as h (state, result) where h.state <> 'ready'));
    insert into task_attempt (task_uid, attempt, agent_uid, started_at, ended_at, outcome)
    select l.task_uid, l.attempt, l.agent_uid, l.started_at, clock_timestamp(), outcomes[h.nth]::json
    from unnest(entities, states, places) as h (uid, state, nth) join task_line l on l.entity_uid = h.uid
    where h.state = 'ready' and verdicts[h.nth] = 'retry';
    update task_line l set ready = verdicts[h.nth] <> 'retry', lease_token = null, leased_until = null, progress = null,
      attempt = l.attempt - (verdicts[h.nth] = 'returned')::integer,
      delayed_until = case when verdicts[h.nth] = 'retry' then clock_timestamp() + make_interval(
        secs => coalesce(own_delays[h.nth], delays[least(l.attempt, cardinality(delays))])) end
    from unnest(entities, states, places) as h (uid, state, nth) where l.entity_uid = h.uid and h.state = 'ready';
  end if;
  perform wake_entities(entities, now());
end $$;

-- Takes back tasks that nobody has begun; with `leased_too` asks agents to stop the others. Gives back every task it concerned.
create function cancel_tasks(of_entities uuid[], of_operations uuid[], of_tasks uuid[], reason text, leased_too boolean)
returns table (uid uuid, entity_uid uuid, project text, state text) language plpgsql
  set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
  set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  entities uuid[] := array(
    select l.entity_uid from task_line l
    where l.entity_uid = any (of_entities || array(
      select t.entity_uid from task t where t.operation_uid = any (of_operations) and t.ended is null
      union all select t.entity_uid from task t where t.uid = any (of_tasks)))
    order by l.entity_uid for update);
  heads uuid[];
begin
  return query
    with concerned as (
      select t.uid, t.entity_uid, t.project, l.task_uid = t.uid as heads, l.task_uid = t.uid and l.lease_token is not null as leased
      from unnest(entities) as e (uid) join task_line l on l.entity_uid = e.uid
      join task t on t.entity_uid = l.entity_uid and t.position >= l.position and t.ended is null
      where t.entity_uid = any (of_entities) or t.operation_uid = any (of_operations) or t.uid = any (of_tasks)
    ), asked as (
      update task_line l set cancel_reason = reason from concerned c
      where l.entity_uid = c.entity_uid and c.leased and leased_too and l.cancel_reason = ''
    ), ended as (
      update task t set ended = 'cancelled', cancel_reason = reason, ended_at = clock_timestamp() from concerned c where t.uid = c.uid and not c.heads
    ), headed as (
      update task_line l set cancel_reason = reason from concerned c where l.entity_uid = c.entity_uid and c.heads and not c.leased
    )
    select c.uid, c.entity_uid, c.project, case when c.leased then 'leased' else 'cancelled' end from concerned c where leased_too or not c.leased;
  if not found then return; end if;
  heads := array(select l.entity_uid from unnest(entities) as e (uid) join task_line l on l.entity_uid = e.uid
    where l.cancel_reason <> '' and l.lease_token is null);
  perform end_heads(heads, array_fill('cancelled'::text, array[cardinality(heads)]), null);
  perform wake_entities(entities, now());
end $$;
