-- Resources that a user removed from a state. They stay in the cloud and keep their ownership tag, so runs must not adopt them again.
create table forgotten_resource (
  entity_uid    uuid not null references entity (uid) on delete cascade,
  type          text collate "C" not null,               -- for example aws_subnet
  id            text collate "C" not null,               -- in the cloud
  address       text collate "C" not null,               -- in the state, before the resource was forgotten
  operation_uid uuid not null,                           -- of the request
  primary key (entity_uid, type, id)
);
