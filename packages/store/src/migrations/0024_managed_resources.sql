-- The number of resource instances that Terraform manages, without data sources. Null for versions that were written before this column existed.
alter table state_version add column managed integer;
