-- The Terraform state of an entity: its lock, and what its newest version is. It outlives the entity, since what could not be removed from a
-- cloud is written down nowhere else, and goes with the project. Whoever writes a version or touches the lock updates this row: it is the
-- one place where writers meet.
create table state (
  entity_uid       uuid primary key,
  project_uid      uuid not null references entity (uid) on delete cascade,
  kind             text collate "C" not null,        -- kind, name and environment as they were when a run last opened it
  name             text collate "C" not null,
  environment      text collate "C" not null,
  version          integer not null default 0,       -- the newest; 0: nothing was written yet
  lock_id          text,                             -- set: locked
  lock_info        json,                             -- what Terraform said of itself
  lock_task_uid    uuid,
  lock_lease_token uuid,                             -- the lease that the lock lives and dies with
  locked_at        timestamptz
) with (fillfactor = 60);
create index state_project on state (project_uid, entity_uid);

-- Every version of every state, for ever. Only `sealed`, the wrapped data key, is written anew when keys change; the content stays where it is.
create table state_version (
  uid            uuid primary key,                   -- what the content is bound to
  entity_uid     uuid not null references state (entity_uid) on delete cascade,
  version        integer not null,
  serial         integer not null,
  lineage        text not null,
  md5            bytea not null,
  size           integer not null,
  resources      integer not null,
  created_at     timestamptz not null default clock_timestamp(),
  task_uid       uuid,
  operation_uid  uuid,
  actor          text not null,
  deleted        boolean not null default false,
  rolled_back_to integer not null default 0,
  sealed         bytea,                              -- null, as the content, where the state was deleted
  content        bytea,                              -- compressed, then encrypted
  unique (entity_uid, version)
);
-- It cannot be compressed any further, and trying costs more than the encryption.
alter table state_version alter column content set storage external;

-- What a run proves itself with; good while the lease is that of the task's line.
create table state_credential (
  hash          bytea primary key,                   -- sha256; credentials have 256 bits of entropy
  entity_uid    uuid not null references state (entity_uid) on delete cascade,
  task_uid      uuid not null,
  lease_token   uuid not null,
  operation_uid uuid,
  actor         text not null
);
create index state_credential_entity on state_credential (entity_uid);
