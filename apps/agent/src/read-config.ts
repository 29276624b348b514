import { cloudNames, getCloud } from "@cloudwright/contract/clouds";
import { readAgentConfig, type AgentConfig } from "@cloudwright/platform";
import { backendSecretVariables } from "@cloudwright/terraform";

/** Reads the agent's configuration, including the environment variables that clouds and state backends define. */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): AgentConfig {
  const facts = cloudNames.map((name) => getCloud(name).agent);
  return readAgentConfig(environment, {
    endpoints: facts.flatMap(({ endpointVariables }) => endpointVariables ?? []),
    identityTokens: facts.flatMap(({ identityTokenVariable }) => identityTokenVariable ?? []),
    backendSecrets: backendSecretVariables,
  });
}
