-- Until now every project could use the cloud identity of every shared agent. From now on an operator grants it. Accounts that use an agent's
-- identity today keep working: each shared agent grants its identity to exactly these accounts. New accounts need a grant.
update entity agent set object = jsonb_set(agent.object::jsonb, '{spec,identityAccounts}', granted.uids)::json
from (
  select jsonb_agg(account.uid order by account.uid) as uids from entity account
  where account.kind = 'Account' and account.object #>> '{spec,simulated}' is distinct from 'true' and (
    account.object #>> '{spec,aws,agentCredentials}' = 'true'
    or account.object #>> '{spec,aws,webIdentity}' = 'true'
    or account.object #>> '{spec,aws,roleArn}' <> '' and coalesce(account.object #>> '{spec,aws,accessKeyId}', '') = ''
    or account.object #>> '{spec,gcp,agentCredentials}' = 'true'
    or account.object #>> '{spec,azure,agentCredentials}' = 'true'
  )
) granted
where agent.kind = 'Agent' and agent.project = 'system' and granted.uids is not null;
