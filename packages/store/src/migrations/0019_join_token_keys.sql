-- The API key that created a join token. The token ends with the key; null for tokens of the platform itself.
alter table join_token add column key_uid uuid references api_key (uid) on delete cascade;
create index join_token_key on join_token (key_uid) where key_uid is not null;
