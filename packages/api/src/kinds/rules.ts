import { accountRules } from "./account.ts";
import { agentRules } from "./agent.ts";
import { apiKeyRules } from "./api-key.ts";
import { backendRules } from "./backend.ts";
import { clusterRules } from "./cluster.ts";
import { environmentRules } from "./environment.ts";
import type { KindRules } from "./kind-rules.ts";
import { networkRules } from "./network.ts";
import { projectRules } from "./project.ts";
import { roleBindingRules } from "./role-binding.ts";
import { storageRules } from "./storage.ts";
import { userRules } from "./user.ts";

const rules: Readonly<Record<string, KindRules>> = {
  Account: accountRules,
  Agent: agentRules,
  ApiKey: apiKeyRules,
  Backend: backendRules,
  Cluster: clusterRules,
  Environment: environmentRules,
  Network: networkRules,
  Project: projectRules,
  RoleBinding: roleBindingRules,
  Storage: storageRules,
  User: userRules,
};

const none: KindRules = {};

/** Returns the special rules of a kind. Most kinds have none. */
export function rulesOf(kind: string): KindRules {
  return rules[kind] ?? none;
}
