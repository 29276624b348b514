-- A request to forget a resource that failed has forgotten nothing. From now on the reconciler deletes its records when the operation ends. Records
-- no longer depend on the operation, which retention deletes before the entity.
delete from forgotten_resource f using entity o
where o.uid = f.operation_uid and o.object -> 'status' ->> 'state' in ('FAILED', 'CANCELLED');
create index forgotten_resource_operation on forgotten_resource (operation_uid);
