-- Where the Kubernetes APIs of simulated clusters are served, and what their keys are derived from: one row for the whole installation.
create table simulated_kubernetes (
  uid     uuid primary key,
  one     boolean not null default true unique check (one),
  sealed  bytea not null,                            -- the secret
  address text not null default ''                   -- such as https://127.0.0.1:8481; '' until somebody serves them
);

-- The clusters of simulated clouds. One is there from when its cloud is asked for it, and `seen` as soon as it exists there. It goes with its account.
create table simulated_cluster (
  id             text collate "C" primary key,
  account_uid    uuid not null references entity (uid) on delete cascade,
  region         text not null,
  name           text not null,
  version        text not null,
  created_at_ms  bigint not null,
  seen           boolean not null default false,
  asked_at       timestamptz not null default clock_timestamp(),
  object_version bigint not null default 0
);
create index simulated_cluster_account on simulated_cluster (account_uid, name);

-- What is in them. As text: it is read as a whole, never searched, and comes back as it was given.
create table simulated_object (
  cluster_id text collate "C" not null references simulated_cluster (id) on delete cascade,
  resource   text collate "C" not null,
  namespace  text collate "C" not null,
  name       text collate "C" not null,
  object     text not null,
  primary key (cluster_id, resource, namespace, name)
);

-- For those who look whether anything has changed that makes clusters.
create index simulated_record_clusters on simulated_record (account_uid) where type in ('aws_eks_cluster', 'aws_eks_node_group');
