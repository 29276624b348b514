-- Every entity of every kind. `object` is the entity as callers see it, the one truth; the columns beside it are what
-- statements look up by, derived from it on each write.
create table entity (
  uid              uuid primary key,
  kind             text collate "C" not null,
  project          text collate "C" not null,            -- '' for kinds that belong to no project
  naming_scope     text collate "C" not null default '', -- node pools: uid of their cluster; names are unique within it
  name             text collate "C" not null,
  parent_uid       uuid references entity (uid),
  subject_uid      uuid references entity (uid),         -- the user a role binding speaks of
  environment_uid  uuid references entity (uid),
  environment      text collate "C" not null default '',
  labels           jsonb not null,
  resource_version bigint not null,
  created_at       timestamptz not null,
  updated_at       timestamptz not null,
  deleted_at       timestamptz,
  object           json not null,
  sealed           bytea                                 -- secret fields, envelope-encrypted
);
create unique index entity_name on entity (project, kind, naming_scope, name);
create index entity_created on entity (project, kind, created_at, uid);
create index entity_parent on entity (parent_uid) where parent_uid is not null;
create index entity_subject on entity (subject_uid) where subject_uid is not null;
create index entity_environment on entity (environment_uid) where environment_uid is not null;
create index entity_labels on entity using gin (labels jsonb_path_ops);

-- Resource versions are handed out to processes in blocks, so that an entity's JSON is complete before it is written.
create sequence resource_version increment by 64;

-- The change log. Read by (xid, seq) below the oldest running transaction, which is commit order without gaps.
create table change (
  xid         xid8 not null default pg_current_xact_id(),
  seq         bigint not null,
  at          timestamptz not null,
  type        text not null,
  project     text collate "C" not null,
  kind        text collate "C" not null,
  uid         uuid not null,
  parent_uid  uuid,
  environment text collate "C" not null,
  labels      jsonb not null,
  old_labels  jsonb,
  object      json not null,
  -- Where it was before the change, for watchers whose role reaches only some environments: to them it comes or goes.
  old_environment text collate "C",
  primary key (xid, seq)
);
create index change_seq on change (seq);
create index change_at on change (at);

-- Everything up to here has been pruned; a watch cannot resume from before it.
create table change_horizon (
  only_row boolean primary key default true check (only_row),
  xid      xid8 not null,
  seq      bigint not null
);
insert into change_horizon (xid, seq) values ('0', 0);

create table event (
  uid        uuid primary key,
  project    text collate "C" not null,
  at         timestamptz not null,
  type       text not null,
  reason     text not null,
  message    text not null,
  kind       text not null,
  name       text not null,
  entity_uid uuid not null,
  actor      text not null
);
create index event_at on event (at);
create index event_project on event (project, uid desc);
create index event_entity on event (entity_uid, uid desc);

create table audit (
  uid        uuid primary key,
  at         timestamptz not null,
  actor      text not null,
  credential text not null,
  verb       text not null,
  kind       text not null,
  project    text collate "C" not null,
  name       text not null,
  entity_uid uuid,
  outcome    text not null,
  code       text not null,
  source     text not null,
  request_id text not null
);
create index audit_at on audit (at);
create index audit_project on audit (project, uid desc);

create table api_key (
  hash       bytea primary key,                          -- sha256; keys have 256 bits of entropy
  uid        uuid not null unique references entity (uid) on delete cascade,
  user_uid   uuid not null references entity (uid) on delete cascade,
  prefix     text not null,
  project    text not null,
  role       text not null,
  expires_at timestamptz
);
create index api_key_user on api_key (user_uid);

create table session (
  hash       bytea primary key,
  key_uid    uuid not null references api_key (uid) on delete cascade,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index session_key on session (key_uid);

create table signing_key (
  kid        text primary key,
  created_at timestamptz not null,
  public_jwk json not null,
  sealed     bytea not null
);

create table used_token (
  jti        text primary key,
  expires_at timestamptz not null
);

create table idempotency (
  hash         bytea primary key,                        -- of caller, path and the caller's key
  request_hash bytea not null,
  entity_uid   uuid not null references entity (uid) on delete cascade,
  created_at   timestamptz not null
);
create index idempotency_entity on idempotency (entity_uid);
