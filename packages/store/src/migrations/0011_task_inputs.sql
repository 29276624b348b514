-- What the reconciler compares about a task, apart from the task itself. Each pass reads it for every recent task of an entity; taking it out of
-- `object` parsed the whole payload six times per task, which was most of what a pass cost the database.
alter table task add column inputs json not null default '{}';

-- For tasks without inputs of their own: those that existed before, and those of an older release that still runs.
create function task_inputs(object json) returns json language sql stable as $$
  select json_build_object('fingerprint', p.payload -> 'fingerprint', 'retries', p.payload -> 'retries', 'round', p.payload -> 'round',
    'plan', p.payload -> 'plan', 'placement', p.placement, 'payloadVersion', p."payloadVersion")
  from json_to_record(object) as p (payload json, placement json, "payloadVersion" json)
$$;
update task set inputs = task_inputs(object);

create or replace view task_state as
  select t.uid, t.key, t.position, t.project, t.entity_uid, t.operation_uid, t.account_uid, t.lane, t.demand, t.priority, t.max_attempts, t.object,
    t.created_at, t.ended_at, t.outcome,
    case when t.ended is not null then t.ended when l.task_uid is null then 'waiting' when l.lease_token is null then 'ready' else 'leased' end as state,
    coalesce(l.attempt, t.attempt) as attempt,
    coalesce(l.agent_uid, t.agent_uid) as agent_uid,
    coalesce(l.started_at, t.started_at) as started_at,
    coalesce(l.cancel_reason, t.cancel_reason) as cancel_reason,
    l.delayed_until, l.leased_until, l.progress, t.inputs
  from task t left join task_line l on l.entity_uid = t.entity_uid and l.task_uid = t.uid;

-- As before, and writes the inputs.
create or replace function enqueue_tasks(rows json) returns setof uuid language plpgsql
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
      insert into task (uid, key, project, entity_uid, operation_uid, account_uid, lane, demand, priority, max_attempts, object, inputs)
      select r.uid, r.key, r.project, r.entity_uid, r.operation_uid, coalesce(r.account_uid, '00000000-0000-0000-0000-000000000000'), r.lane, d.id,
        r.priority, r.max_attempts, r.object, coalesce(r.inputs, task_inputs(r.object))
      from rows from (json_to_recordset(rows) as (
        uid uuid, key text, project text, entity_uid uuid, operation_uid uuid, account_uid uuid, lane text, placement text, type text,
        payload_version integer, priority integer, max_attempts integer, object json, inputs json
      )) with ordinality r (
        uid, key, project, entity_uid, operation_uid, account_uid, lane, placement, type, payload_version, priority, max_attempts, object, inputs, nth)
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
