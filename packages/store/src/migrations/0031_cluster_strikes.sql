-- How often the process that serves simulated clusters died while it worked for this cluster, and when it did so last.
alter table simulated_cluster
  add column strikes   integer not null default 0,
  add column struck_at timestamptz;
