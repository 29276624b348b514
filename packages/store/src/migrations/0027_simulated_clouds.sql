-- Where the simulated APIs of the clouds themselves are served, such as https://127.0.0.1:8483. Empty until a replica serves them.
alter table simulated_kubernetes add column clouds_address text not null default '';
