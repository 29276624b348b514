-- References of entities to others that do not own them, such as an instance's security groups. The names are in the spec; the rows make it
-- possible to find who references an entity, and keep a referenced entity from being removed.
create table entity_link (
  from_uid uuid not null references entity (uid) on delete cascade,
  to_uid   uuid not null references entity (uid),
  field    text collate "C" not null,                    -- path below spec
  position integer not null,                             -- order within the entity's links
  primary key (from_uid, position)
);
create index entity_link_to on entity_link (to_uid);
