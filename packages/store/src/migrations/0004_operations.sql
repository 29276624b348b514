-- The open operations of an entity: who supersedes them closes them.
create index entity_open_operation on entity ((object -> 'spec' ->> 'entityUid'))
  where kind = 'Operation' and object -> 'status' ->> 'state' in ('WAITING', 'RUNNING');

-- When somebody last watched over leases. While nobody did, nobody could renew one either.
create table lease_watch (
  only_row boolean primary key default true check (only_row),
  seen_at  timestamptz not null
);
insert into lease_watch (seen_at) values (now());
