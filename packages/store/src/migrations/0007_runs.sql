-- A saved plan: what a run of Terraform wants to do, what policies say of it, and what people did. It is made by one task and handed out once,
-- to the task that applies it: a plan that was begun is never begun again, whoever died meanwhile.
create table plan (
  uid          uuid primary key,                     -- the task that made it
  entity_uid   uuid not null references state (entity_uid) on delete cascade,
  serial       integer not null,                     -- of the state it was made on; 0: there was none
  lineage      text not null,
  counts       json not null,                        -- {"create", "update", "replace", "delete", "import"}
  changes      json not null,                        -- {"changes", "drift"}, sensitive values masked
  findings     json not null,                        -- what policies said when it came
  needs_approval boolean not null,                   -- a person has to approve it before it is applied
  created_at   timestamptz not null default clock_timestamp(),
  expires_at   timestamptz not null,                 -- an approval must come before
  size         integer not null,
  sealed       bytea,                                -- null, as the content, once it was handed out or can be no more
  content      bytea,                                -- encrypted
  approved_by  text,
  approved_at  timestamptz,
  discarded_by text,
  discarded_at timestamptz,
  comment      text not null default '',
  taken_by     uuid,                                 -- the task that it was handed out to
  taken_at     timestamptz
);
create index plan_entity on plan (entity_uid, created_at desc);
create index plan_kept on plan (created_at) where content is not null;
alter table plan alter column content set storage external;

-- What others changed in the infrastructure of an entity. A report is open until the infrastructure is as asked for again, or the change is accepted.
create table drift (
  uid        uuid primary key,
  entity_uid uuid not null references entity (uid) on delete cascade,
  task_uid   uuid not null,                          -- the check that found it first
  found_at   timestamptz not null default clock_timestamp(),
  items      json not null,                          -- addresses and attributes, no values
  ignored    integer not null default 0,
  ended_at   timestamptz,
  ended_as   text                                    -- accepted, corrected, gone
);
create unique index drift_open on drift (entity_uid) where ended_at is null;
create index drift_entity on drift (entity_uid, found_at desc);
