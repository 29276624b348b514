-- The size of a resource, as it counts against the limits of its cloud. Every resource counts for some bytes more than its content, so that
-- the number of resources is limited, too.
alter table simulated_record add column bytes integer not null generated always as
  (256 + octet_length(type) + octet_length(id) + octet_length(attributes::text)) stored;
create index simulated_record_bytes on simulated_record (account_uid) include (bytes);

-- Limits a resource to 256 KiB and all resources of an account to 64 MiB, whoever writes them. Resources that were larger before this
-- migration may stay and shrink. Runs at the end of the transaction and sums up the sizes only once for all resources that were written.
create function limit_simulated_records() returns trigger language plpgsql as $$
declare
  most_record  constant bigint := 256 * 1024;
  most_account constant bigint := 64 * 1024 * 1024;
  total        bigint;
begin
  if tg_op = 'UPDATE' and new.bytes <= old.bytes then
    return null;
  end if;
  if new.bytes > most_record then
    raise exception 'resource %/% of a simulated cloud has % KiB; at most % KiB are allowed', new.type, left(new.id, 100),
      ceil(new.bytes / 1024.0), most_record / 1024 using errcode = 'CW413';
  end if;
  if current_setting('cloudwright.summed_account', true) is distinct from new.account_uid::text then
    perform set_config('cloudwright.summed_account', new.account_uid::text, true);
    select sum(r.bytes) into total from simulated_record r where r.account_uid = new.account_uid;
    if total > most_account then
      raise exception 'the resources of a simulated cloud have % MiB; at most % MiB are allowed', ceil(total / 1048576.0),
        most_account / 1048576 using errcode = 'CW413';
    end if;
  end if;
  return null;
end
$$;
create constraint trigger simulated_record_limits after insert or update on simulated_record
  deferrable initially deferred for each row execute function limit_simulated_records();

-- Fails if the answers to a request are larger than allowed.
create function require_small_answer(bytes bigint, most bigint) returns void language plpgsql immutable as $$
begin
  if bytes > most then
    raise exception 'the answers of a simulated cloud to one request have % KiB; at most % KiB are allowed', ceil(bytes / 1024.0), most / 1024
      using errcode = 'CW413';
  end if;
end
$$;

-- Performs actions on the simulated cloud of an account, in order, all or none, and adds the changes to its audit trail. A request that is
-- sent again gets the same answers again. A list with `after` returns one page. A list without it returns all resources, as agents of earlier
-- releases expect. The answers to one request are limited in size. Pages beyond the limit are empty, and the caller asks for them again.
create or replace function simulate(of_account uuid, request uuid, acts jsonb, by_actor text default 'simulated-cluster') returns jsonb language plpgsql as $$
declare
  act       jsonb;
  answer    jsonb;
  answers   jsonb[] := '{}';
  known     jsonb;
  did       integer;
  changed   boolean := false;
  size      bigint;
  answered  bigint := 0;
  most      constant bigint := 8 * 1024 * 1024;
  most_all  constant bigint := 32 * 1024 * 1024;
  most_page constant bigint := 1024 * 1024;
  most_kept constant bigint := 256 * 1024;
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
        select jsonb_build_object('type', r.type, 'id', r.id, 'attributes', r.attributes), answered + r.bytes into answer, size
        from simulated_record r where r.account_uid = of_account and r.type = act ->> 'type' and r.id = act ->> 'id';
        answered := coalesce(size, answered);
        perform require_small_answer(answered, most);
      when 'list' then
        if act ? 'after' and answered >= most then
          answer := '{"items": [], "more": true}';
        elsif act ? 'after' then
          -- Reads one row more than a page contains to find out whether there is another page.
          select jsonb_build_object('items', coalesce(jsonb_agg(jsonb_build_object('type', p.type, 'id', p.id, 'attributes', p.attributes)
              order by p.type, p.id) filter (where p.fits), '[]'), 'more', count(*) > count(*) filter (where p.fits)),
            answered + coalesce(sum(p.bytes) filter (where p.fits), 0) into answer, answered
          from (
            select r.*, r.nth <= 1000 and (r.nth = 1 or r.total <= most_page) as fits
            from (
              select r.type, r.id, r.attributes, r.bytes, row_number() over (order by r.type, r.id) as nth, sum(r.bytes) over (order by r.type, r.id) as total
              from simulated_record r
              where r.account_uid = of_account and (not act ? 'type' or r.type = act ->> 'type')
                and (r.type, r.id) > (act -> 'after' ->> 'type', act -> 'after' ->> 'id')
              order by r.type, r.id limit 1001
            ) r
          ) p;
        else
          select answered + coalesce(sum(r.bytes), 0) into answered
          from simulated_record r where r.account_uid = of_account and (not act ? 'type' or r.type = act ->> 'type');
          perform require_small_answer(answered, most_all);
          select coalesce(jsonb_agg(jsonb_build_object('type', r.type, 'id', r.id, 'attributes', r.attributes) order by r.type, r.id), '[]') into answer
          from simulated_record r where r.account_uid = of_account and (not act ? 'type' or r.type = act ->> 'type');
        end if;
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
    -- These answers are stored, so that a request that is sent again gets them again.
    perform require_small_answer(answered, most_kept);
    insert into simulated_request (account_uid, uid, answers) values (of_account, request, to_jsonb(answers));
  end if;
  return to_jsonb(answers);
end
$$;
