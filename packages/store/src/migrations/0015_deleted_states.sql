-- When the pruner first found that the state's entity was deleted. The retention of deleted states starts then.
alter table state add column orphaned_at timestamptz;
create index state_orphaned on state (orphaned_at) where orphaned_at is not null;
