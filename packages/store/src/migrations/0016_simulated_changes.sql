-- The audit trail of simulated clouds: who changed which resource, and when. Runs of the platform appear as "cloudwright-<task>".
create table simulated_change (
  account_uid uuid not null references entity (uid) on delete cascade,
  position    bigint generated always as identity,
  type        text collate "C" not null,
  id          text collate "C" not null,
  actor       text not null,
  action      text not null,                         -- create, update or delete
  at          timestamptz not null default clock_timestamp(),
  primary key (account_uid, type, id, position)
);
create index simulated_change_at on simulated_change (at);

drop function simulate(uuid, uuid, jsonb);

-- Performs actions on the simulated cloud of an account, in order, all or none, and adds the changes to its audit trail. A request that is
-- sent again gets the same answers again.
create function simulate(of_account uuid, request uuid, acts jsonb, by_actor text default 'simulated-cluster') returns jsonb language plpgsql as $$
declare
  act       jsonb;
  answer    jsonb;
  answers   jsonb[] := '{}';
  known     jsonb;
  did       integer;
  changed   boolean := false;
begin
  if request is not null then
    -- The first attempt may still be running.
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
      when 'trail' then
        select coalesce(jsonb_agg(jsonb_build_object('actor', c.actor, 'action', c.action, 'at', c.at) order by c.position desc), '[]') into answer
        from (select * from simulated_change c where c.account_uid = of_account and c.type = act ->> 'type' and c.id = act ->> 'id'
          order by c.position desc limit 5) c;
      when 'take' then
        answer := null;
        perform from simulated_fault f
        where f.account_uid = of_account and f.operation = act ->> 'operation' and f.type in ('', act ->> 'type')
          and f.seen < f.nth + f.times - 1
        order by f.position for update;
        get diagnostics did = row_count;
        -- Every matching fault counts the call. The first one that is due is returned.
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
    if did > 0 and act ->> 'do' in ('create', 'put', 'delete') then
      insert into simulated_change (account_uid, type, id, actor, action)
      values (of_account, act ->> 'type', act ->> 'id', by_actor, case act ->> 'do' when 'put' then 'update' else act ->> 'do' end);
    end if;
    answers := answers || coalesce(answer, 'null');
    changed := changed or did > 0;
  end loop;
  if request is not null and changed then
    insert into simulated_request (account_uid, uid, answers) values (of_account, request, to_jsonb(answers));
  end if;
  return to_jsonb(answers);
end
$$;
