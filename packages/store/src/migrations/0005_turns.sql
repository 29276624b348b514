-- What an operation is about, in columns of its own: an index on an expression of `object` is written anew, and all others with it, at
-- every change of every entity. These two change at most once in an operation's life.
drop index entity_open_operation;
alter table entity
  add column about_uid uuid generated always as (case when kind = 'Operation' then (object -> 'spec' ->> 'entityUid')::uuid end) stored,
  add column open_about_uid uuid generated always as (
    case when kind = 'Operation' and object -> 'status' ->> 'state' in ('WAITING', 'RUNNING') then (object -> 'spec' ->> 'entityUid')::uuid end) stored;
-- Room on each page for the next version of its rows, which then needs no new entries in indexes.
alter table entity set (fillfactor = 70);
create index entity_about on entity (about_uid, name) where about_uid is not null;
create index entity_open_about on entity (open_about_uid) where open_about_uid is not null;

-- Whose turn it is: entities are looked at by project. '?' is of no project, since nobody knew it.
alter table due add column project text collate "C" not null default '?';
update due d set project = e.project from entity e where e.uid = d.entity_uid;
create index due_project on due (project, due_at);

create or replace function wake_entities(uids uuid[], at timestamptz) returns void language plpgsql as $$
begin
  insert into due (entity_uid, due_at, project)
  select w.uid, at, coalesce((select e.project from entity e where e.uid = w.uid), '?') from (select distinct u.uid from unnest(uids) as u (uid) order by 1) w
  on conflict (entity_uid) do update set due_at = least(due.due_at, excluded.due_at), wakes = due.wakes + 1;
end $$;

-- Takes up to `most` entities that are due, for `hold_seconds`. When there are more, projects take turns, beginning after the one served
-- last. No call looks at more than 200 projects; what is left of its room then goes to those that have waited longest.
create function claim_due(most integer, hold_seconds double precision, inout served text, out uids uuid[], out wakes bigint[]) language plpgsql
  set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
  set plan_cache_mode = force_generic_plan as $$
declare
  start constant text := served;
  after text := served;
  wrapped boolean := served = '';
  turns text[] := '{}';
  picked uuid[];
begin
  picked := array(select d.entity_uid from due d where d.due_at <= now() order by d.due_at limit most + 1 for update skip locked);
  if cardinality(picked) > most then
    for hop in 1..200 loop
      select d.project into after from due d where d.project > after order by d.project limit 1;
      if after is null and not wrapped then
        wrapped := true;
        after := '';
        continue;
      end if;
      exit when after is null or cardinality(turns) >= most;
      if exists (select from due d where d.project = after and d.due_at <= now()) then turns := turns || after; end if;
      exit when wrapped and after >= start and start <> '';
    end loop;
    picked := picked[1:most];
    if cardinality(turns) > 0 then
      picked := array(
        select head.entity_uid from unnest(turns) as turn (project) cross join lateral (
          select d.entity_uid from due d where d.project = turn.project and d.due_at <= now()
          order by d.due_at limit (most + cardinality(turns) - 1) / cardinality(turns) for update skip locked
        ) head limit most);
      picked := picked || array(select d.entity_uid from due d where d.due_at <= now() and d.entity_uid <> all (picked)
        order by d.due_at limit most - cardinality(picked) for update skip locked);
      served := turns[cardinality(turns)];
    end if;
  end if;
  if cardinality(picked) = 0 then return; end if;
  with taken as (
    update due d set due_at = clock_timestamp() + make_interval(secs => hold_seconds) where d.entity_uid = any (picked)
    returning d.entity_uid, d.wakes
  )
  select array_agg(t.entity_uid), array_agg(t.wakes) into uids, wakes from taken t;
end $$;
