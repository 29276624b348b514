-- The open operations of an entity: who supersedes them closes them.
create index entity_open_operation on entity ((object -> 'spec' ->> 'entityUid'))
  where kind = 'Operation' and object -> 'status' ->> 'state' in ('WAITING', 'RUNNING');
