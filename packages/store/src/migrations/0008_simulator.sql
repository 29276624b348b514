-- What exists in the simulated clouds: the one truth for all who look at them, whichever agent they run on. It goes with the account.
create table simulated_record (
  account_uid uuid not null references entity (uid) on delete cascade,
  type        text collate "C" not null,
  id          text collate "C" not null,
  attributes  jsonb not null,
  changed_at  timestamptz not null default clock_timestamp(),
  primary key (account_uid, type, id)
);

-- What is to go wrong in them: the nth matching call and as many after it as `times` says. `seen` counts the calls until that has happened.
create table simulated_fault (
  uid         uuid primary key,
  account_uid uuid not null references entity (uid) on delete cascade,
  position    bigint generated always as identity,
  operation   text collate "C" not null,
  type        text collate "C" not null,             -- '' for all
  nth         integer not null check (nth > 0),
  times       integer not null check (times > 0),
  seen        integer not null default 0,
  mishap      jsonb not null,                        -- what goes wrong, in the simulator's words
  created_at  timestamptz not null default clock_timestamp(),
  actor       text not null
) with (fillfactor = 70);
create index simulated_fault_account on simulated_fault (account_uid, position);

-- What was answered to requests that changed something, for those who ask again because the answer was lost.
create table simulated_request (
  account_uid uuid not null references entity (uid) on delete cascade,
  uid         uuid not null,
  answers     jsonb not null,
  at          timestamptz not null default clock_timestamp(),
  primary key (account_uid, uid)
);
create index simulated_request_at on simulated_request (at);

-- Why a run may not touch an account's simulated cloud; '' when it may: the credential is that of the run's task, the task's line is
-- leased with it, the task is of this account, and the account is simulated.
create function refuse_simulated_run(of_account uuid, by_hash bytea, by_task uuid) returns text language plpgsql stable as $$
declare
  held record;
begin
  select l.leased_until > clock_timestamp() as is_renewed, a.object -> 'spec' ->> 'simulated' is not distinct from 'true' as is_simulated into held
  from state_credential c
  join task t on t.uid = c.task_uid
  join task_line l on l.entity_uid = c.entity_uid and l.task_uid = c.task_uid and l.lease_token = c.lease_token
  join entity a on a.uid = t.account_uid and a.kind = 'Account'
  where c.hash = by_hash and c.task_uid = by_task and t.account_uid = of_account;
  return case when not found then 'ended' when not held.is_simulated then 'real' when not held.is_renewed then 'lapsed' else '' end;
end
$$;

-- Does what is asked of an account's cloud, in order, all or nothing. Whoever asks again with the same request is told the same again.
create function simulate(of_account uuid, request uuid, acts jsonb) returns jsonb language plpgsql as $$
declare
  act       jsonb;
  answer    jsonb;
  answers   jsonb[] := '{}';
  known     jsonb;
  did       integer;
  changed   boolean := false;
begin
  if request is not null then
    -- The first try may still be under way.
    perform pg_advisory_xact_lock(hashtextextended(request::text, 8));
    select r.answers into known from simulated_request r where r.account_uid = of_account and r.uid = request;
    if found then
      return known;
    end if;
  end if;
  for act in select o.value from jsonb_array_elements(acts) with ordinality as o (value, nth) order by o.nth loop
    did := 0;
    case act ->> 'do'
      when 'find' then
        select jsonb_build_object('type', r.type, 'id', r.id, 'attributes', r.attributes) into answer
        from simulated_record r where r.account_uid = of_account and r.type = act ->> 'type' and r.id = act ->> 'id';
      when 'list' then
        select coalesce(jsonb_agg(jsonb_build_object('type', r.type, 'id', r.id, 'attributes', r.attributes) order by r.type, r.id), '[]') into answer
        from simulated_record r where r.account_uid = of_account and (not act ? 'type' or r.type = act ->> 'type');
      when 'create' then
        insert into simulated_record (account_uid, type, id, attributes)
        values (of_account, act ->> 'type', act ->> 'id', act -> 'attributes') on conflict do nothing;
        get diagnostics did = row_count;
        answer := to_jsonb(did = 1);
      when 'put' then
        insert into simulated_record (account_uid, type, id, attributes)
        values (of_account, act ->> 'type', act ->> 'id', act -> 'attributes')
        on conflict (account_uid, type, id) do update set attributes = excluded.attributes, changed_at = clock_timestamp();
        did := 1;
        answer := 'true';
      when 'delete' then
        delete from simulated_record r where r.account_uid = of_account and r.type = act ->> 'type' and r.id = act ->> 'id';
        get diagnostics did = row_count;
        answer := to_jsonb(did = 1);
      when 'take' then
        answer := null;
        perform from simulated_fault f
        where f.account_uid = of_account and f.operation = act ->> 'operation' and f.type in ('', act ->> 'type')
          and f.seen < f.nth + f.times - 1
        order by f.position for update;
        get diagnostics did = row_count;
        -- All that are about the call count it; the first that is due goes wrong.
        if did > 0 then
          with counted as (
            update simulated_fault f set seen = f.seen + 1
            where f.account_uid = of_account and f.operation = act ->> 'operation' and f.type in ('', act ->> 'type')
              and f.seen < f.nth + f.times - 1
            returning f.*
          )
          select c.mishap || jsonb_build_object('operation', c.operation, 'nth', c.nth, 'times', c.times)
            || case when c.type = '' then '{}' else jsonb_build_object('type', c.type) end into answer
          from counted c where c.seen >= c.nth order by c.position limit 1;
        end if;
    end case;
    answers := answers || coalesce(answer, 'null');
    changed := changed or did > 0;
  end loop;
  if request is not null and changed then
    insert into simulated_request (account_uid, uid, answers) values (of_account, request, to_jsonb(answers));
  end if;
  return to_jsonb(answers);
end
$$;
