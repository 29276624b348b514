-- As before, but a lane without ready tasks costs no further statement, one statement finds the projects whose turn it is, also when the turn
-- passes from the last name to the first, and the counts that choose the tasks also tell whether a limit is near.
create or replace function lease_tasks(
  agent uuid, lanes text[], wanted integer[], inout served text[], satisfied integer[], known integer, only_projects text[],
  lease_seconds double precision, project_quota integer, account_budget integer, out unknown boolean, out tasks text, out withheld boolean
) language plpgsql
  set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
  set plan_cache_mode = force_generic_plan as $$
declare
  none constant uuid := '00000000-0000-0000-0000-000000000000';
  leased uuid[] := '{}';
  -- The JSON of each leased task, in the order of `leased`.
  texts text[] := '{}';
  given text[];
  touched text[] := '{}';
  of_lane text;
  room integer;
  share integer;
  start text;
  after text;
  is_wrapped boolean;
  turns text[];
  generous text[];
  picked uuid[];
  givers text[];
  delayed boolean;
  is_near boolean := false;
  -- Upper bounds of the numbers of tasks that a touched project had leased before this call, and that this call leases for it.
  most_leased integer := 0;
  most_own integer := 0;
  excess uuid;
  is_reserved boolean;
  -- The lanes that have ready tasks.
  filled text[];
  -- The projects that must leave free slots to others, and how many of the free slots each of them may still take.
  barred text[];
  rooms integer[];
begin
  withheld := false;
  select coalesce(known < (select max(d.id) from task_demand d), false), exists (select from task_line l where l.delayed_until <= now()),
      exists (select from slot_reservation r where r.agent_uid = agent and r.used_at > now() - interval '2 minutes'),
      array(select w.lane from unnest(lanes) as w (lane)
        where (select l.ready from task_line l where l.ready and l.lane = w.lane order by l.lane, l.project limit 1))
    into unknown, delayed, is_reserved, filled;
  if unknown then return; end if;
  if delayed then
    update task_line l set ready = true, delayed_until = null from (
      select d.entity_uid from task_line d where d.delayed_until <= now() order by d.delayed_until limit 100 for update skip locked
    ) over_now where l.entity_uid = over_now.entity_uid;
    filled := lanes;
  end if;

  for nth in 1..cardinality(lanes) loop
    of_lane := lanes[nth];
    room := wanted[nth];
    start := served[nth];
    after := start;
    is_wrapped := start = '';
    generous := '{}';
    barred := null;
    if is_reserved and room > 0 then
      select array_agg(b.project), array_agg(greatest(0, room - b.unused)) into barred, rooms from (
        select r.project, r.slots - (
          select count(*) from task_line l
          where l.lease_token is not null and l.agent_uid = agent and l.lane = of_lane and l.project <> r.project)::integer as unused
        from slot_reservation r where r.agent_uid = agent and r.lane = of_lane and r.used_at > now() - interval '2 minutes'
      ) b where b.unused > 0;
      withheld := withheld or barred is not null;
    end if;
    while room > 0 and of_lane = any (filled) loop
      -- The projects whose turn it is: as many as there is room, up to the last name and then from the first, by hopping over the index.
      turns := '{}';
      if after is not null then
        with recursive hops as (
          select after collate "C" as project, is_wrapped as wrapped
          union all
          select next.project, next.wrapped from hops cross join lateral (
            (select l.project, hops.wrapped from task_line l
              where l.ready and l.lane = of_lane and l.project > hops.project order by l.project limit 1)
            union all
            (select l.project, true from task_line l
              where not hops.wrapped and l.ready and l.lane = of_lane and l.project > '' order by l.project limit 1)
            limit 1
          ) next where not next.wrapped or start = '' or next.project <= start
        )
        select coalesce(array_agg(h.project), '{}'), is_wrapped or coalesce(bool_or(h.wrapped), false) into turns, is_wrapped
        from (select * from hops offset 1 limit room) h;
        after := case when cardinality(turns) = room then turns[room] end;
      end if;
      share := (room + cardinality(turns) - 1) / nullif(cardinality(turns), 0);
      -- Everybody had a turn: whoever has more may have the room that is left.
      if share is null then
        exit when cardinality(generous) = 0;
        turns := generous;
        generous := '{}';
        share := room;
      end if;
      select array_agg(chosen.entity_uid), array_agg(chosen.project), greatest(most_leased, max(chosen.leased)) into picked, givers, most_leased from (
        select head.entity_uid, turn.project, busy.leased from unnest(turns) as turn (project)
        cross join lateral (
          select count(*) as leased, count(*) filter (where l.lane = of_lane) as in_lane from task_line l
          where l.lease_token is not null and l.project = turn.project
        ) busy
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
          limit greatest(0, least(share, project_quota - busy.in_lane, rooms[array_position(barred, turn.project)]))
        ) head
        where only_projects is null or turn.project = any (only_projects)
        limit room
      ) chosen;
      continue when picked is null;
      with taken as (
        update task_line l set ready = false, lease_token = gen_random_uuid(), leased_until = clock_timestamp() + make_interval(secs => lease_seconds),
          agent_uid = agent, started_at = clock_timestamp(), attempt = l.attempt + 1
        where l.entity_uid = any (picked)
        returning l.entity_uid, l.task_uid, l.attempt, l.lease_token, l.leased_until
      )
      select array_agg(l.entity_uid), array_agg('{"attempt":' || l.attempt || ',"leaseToken":"' || l.lease_token || '","leaseExpiresAt":'
        || to_json(l.leased_until) || ',"task":' || t.object || '}') into picked, given
      from taken l join task t on t.uid = l.task_uid;
      leased := leased || picked;
      texts := texts || given;
      touched := touched || givers;
      served[nth] := givers[cardinality(givers)];
      room := room - cardinality(picked);
      most_own := most_own + share;
      if barred is not null then
        for b in 1..cardinality(barred) loop
          rooms[b] := rooms[b] - cardinality(array_positions(givers, barred[b]));
        end loop;
      end if;
      if room > 0 then generous := generous || array(select g from unnest(givers) g group by g having count(*) >= share); end if;
    end loop;
  end loop;
  if cardinality(leased) = 0 then return; end if;

  if project_quota is not null or account_budget is not null then
    -- The limits were judged by what was committed then; leases that others are about to commit were not seen. Calls that are far from every
    -- limit may commit side by side: half of a limit is for what was committed, the other half for one such call on each connection.
    -- This first look only chooses the kind of lock. It uses counts that are at least as high as those of `is_near_limit`.
    is_near := most_leased + most_own > least(project_quota, account_budget) / 2
      or most_own * current_setting('max_connections')::integer > least(project_quota, account_budget) / 2;
    if is_near then
      perform pg_advisory_xact_lock(turn.hash) from (select distinct hashtextextended(t, 7265) as hash from unnest(touched) t order by 1) turn;
    else
      perform pg_advisory_xact_lock_shared(turn.hash) from (select distinct hashtextextended(t, 7265) as hash from unnest(touched) t order by 1) turn;
      -- Somebody came near while this call waited: it puts everything back and is asked again.
      if is_near_limit(touched, leased, project_quota, account_budget) then
        update task_line l set ready = true, lease_token = null, leased_until = null, agent_uid = null, started_at = null, attempt = l.attempt - 1
        where l.entity_uid = any (leased);
        return;
      end if;
    end if;
  end if;
  -- Near a limit calls that touch the same project pass one at a time until they commit, and the later one puts back what is too much.
  if is_near and exists (
    select from task_line l where l.lease_token is not null and l.project = any (touched)
    group by grouping sets ((l.project, l.lane), (l.project, l.account_uid))
    having count(*) > case when l.lane is not null then project_quota when l.account_uid <> none then account_budget end
  ) then
    foreach excess in array array(select l.entity_uid from task_line l where l.entity_uid = any (leased) order by l.priority, l.position desc) loop
      update task_line l set ready = true, lease_token = null, leased_until = null, agent_uid = null, started_at = null, attempt = l.attempt - 1
      where l.entity_uid = excess and (
        (select count(*) from task_line o where o.lease_token is not null and o.project = l.project and o.lane = l.lane) > project_quota
        or l.account_uid <> none and
          (select count(*) from task_line o where o.lease_token is not null and o.project = l.project and o.account_uid = l.account_uid) > account_budget);
      if found then
        texts := texts[:array_position(leased, excess) - 1] || texts[array_position(leased, excess) + 1:];
        leased := array_remove(leased, excess);
      end if;
    end loop;
  end if;
  if cardinality(texts) > 0 then tasks := '[' || array_to_string(texts, ',') || ']'; end if;
end $$;
