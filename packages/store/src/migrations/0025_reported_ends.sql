-- As before, but the statement that ends tasks also wakes their entities.
create or replace function end_heads(entities uuid[], states text[], outcomes text[]) returns void language plpgsql as $$
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
  ), woken as (
    insert into due (entity_uid, due_at, project)
    select e.entity_uid, now(), coalesce((select o.project from entity o where o.uid = e.entity_uid), '?') from ending e
    on conflict (entity_uid) do update set due_at = least(due.due_at, excluded.due_at), wakes = due.wakes + 1
  )
  delete from task_line l using next n where l.entity_uid = n.line and n.uid is null;
end $$;

-- As before, but the function also checks that the reporting agents hold the leases (`agents`, in the order of `uids`) and stores the last lines of
-- their logs. A query around the function used to do both, and took two fifths of the time of a report.
drop function finish_tasks(uuid[], uuid[], text[], text[], double precision[], double precision[], double precision);
create function finish_tasks(
  uids uuid[], tokens uuid[], verdicts text[], outcomes text[], own_delays double precision[], delays double precision[],
  expired_by double precision, agents uuid[] default null, lines json default null, out entities uuid[], out states text[], out places integer[]
) language plpgsql
  set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
  set plan_cache_mode = force_generic_plan as $$
declare
  results text[];
begin
  if 'cancelled' = any (verdicts) or expired_by is not null then
    verdicts := array(
      select case
        when g.verdict = 'cancelled' and s.kind in ('requeued', 'fenced') then 'requeued'
        when g.verdict = 'retry' and s.kind = 'fenced' then 'requeued'
        else g.verdict end
      from unnest(tokens, verdicts) with ordinality as g (token, verdict, nth) left join task_stop s on s.lease_token = g.token order by g.nth);
  end if;
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
      and (agents is null or l.agent_uid = agents[g.nth])
    order by l.entity_uid for update of l
  ) held;
  if entities is null then return; end if;
  if lines is not null then
    -- Lines without a time get the time at which the statement started, so that they precede the end of their attempt.
    insert into task_log (task_uid, attempt, seq, at, line)
    select l.task_uid, l.attempt, r.seq, coalesce(r.at, statement_timestamp()), r.line
    from unnest(entities, places) as h (uid, nth) join task_line l on l.entity_uid = h.uid
    join json_to_recordset(lines) as r (nth integer, seq integer, at timestamptz, line text) on r.nth = h.nth
    on conflict do nothing;
  end if;
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
      attempt = l.attempt - (verdicts[h.nth] in ('returned', 'requeued'))::integer,
      delayed_until = case when verdicts[h.nth] = 'retry' then clock_timestamp() + make_interval(
        secs => coalesce(own_delays[h.nth], delays[least(l.attempt, cardinality(delays))])) end
    from unnest(entities, states, places) as h (uid, state, nth) where l.entity_uid = h.uid and h.state = 'ready';
    perform wake_entities(array(select h.uid from unnest(entities, states) as h (uid, state) where h.state = 'ready'), now());
  end if;
end $$;
