-- How often the process that serves simulated clusters died while it read the resources of this account, and when it did so last. The row
-- is deleted with the account, and when the simulated cloud is reset.
create table simulated_account_strike (
  account_uid uuid primary key references entity (uid) on delete cascade,
  strikes     integer not null,
  struck_at   timestamptz not null
);
