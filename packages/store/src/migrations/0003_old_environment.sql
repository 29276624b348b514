-- Where an entity was before a change, for watchers whose role reaches only some environments: to them it comes or goes.
alter table change add column old_environment text collate "C";
