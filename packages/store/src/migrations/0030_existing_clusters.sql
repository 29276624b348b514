-- Clusters that the platform did not create, by the cloud's own id. Two entities must never manage the same cluster of an account. A table of
-- its own, because an index on an expression of entity.object would make every update of every entity more expensive.
create table existing_cluster (
  entity_uid  uuid primary key references entity (uid) on delete cascade,
  account_uid uuid not null,
  cloud_id    text not null
);
create unique index existing_cluster_id on existing_cluster (account_uid, lower(cloud_id));

create function record_existing_cluster() returns trigger language plpgsql as $$
begin
  insert into existing_cluster (entity_uid, account_uid, cloud_id)
  values (new.uid, new.parent_uid, new.object -> 'spec' -> 'existing' ->> 'id');
  return null;
end
$$;
create trigger record_existing_cluster after insert on entity for each row
  when (new.kind = 'Cluster' and new.object -> 'spec' -> 'existing' ->> 'id' is not null)
  execute function record_existing_cluster();
