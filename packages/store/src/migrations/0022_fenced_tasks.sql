-- As before, but an attempt that was interrupted for another project and fenced because it did not stop goes back to the queue. The attempt does
-- not count. Attempts beyond their time limit carry a reason for cancellation and stay cancelled.
create or replace function finish_tasks(
  uids uuid[], tokens uuid[], verdicts text[], outcomes text[], own_delays double precision[], delays double precision[],
  expired_by double precision, out entities uuid[], out states text[], out places integer[]
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
      attempt = l.attempt - (verdicts[h.nth] in ('returned', 'requeued'))::integer,
      delayed_until = case when verdicts[h.nth] = 'retry' then clock_timestamp() + make_interval(
        secs => coalesce(own_delays[h.nth], delays[least(l.attempt, cardinality(delays))])) end
    from unnest(entities, states, places) as h (uid, state, nth) where l.entity_uid = h.uid and h.state = 'ready';
  end if;
  perform wake_entities(entities, now());
end $$;
