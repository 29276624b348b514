-- Tokens that real clusters have given for people to enter them with: one for each role and length of life, handed out to all who may have it
-- while more than half of its life is left. They go with their cluster.
create table cluster_token (
  uid         uuid primary key,                      -- also the line of the tasks that ask for it
  cluster_uid uuid not null references entity (uid) on delete cascade,
  role        text not null check (role in ('admin', 'viewer')),
  ttl_seconds integer not null,
  task_uid    uuid,                                  -- the last that was to ask for it
  asked_by    text not null,                         -- who made it be asked for
  server      text not null,                         -- the address of the cluster that it is for
  sealed      bytea,                                 -- null until it is there
  made_at     timestamptz,
  expires_at  timestamptz,                           -- as the cluster says
  asked_at    timestamptz not null default clock_timestamp(),
  unique (cluster_uid, role, ttl_seconds)
);
create index cluster_token_expires on cluster_token (expires_at);
