-- Parts of an entity that other entities claim exclusively, such as the hosts of an inventory. A claim ends when the claiming entity is removed.
create table entity_claim (
  owner_uid  uuid not null references entity (uid) on delete cascade,
  part       text collate "C" not null,                  -- name of the part within the owner
  entity_uid uuid not null references entity (uid) on delete cascade,
  primary key (owner_uid, part)
);
create unique index entity_claim_entity on entity_claim (entity_uid);
