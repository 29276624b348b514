-- SSH keys that are being replaced on instances. The progress is in the status of the key, and both private halves are among its secrets.
create table key_rotation (
  key_uid uuid primary key references entity (uid) on delete cascade
);
