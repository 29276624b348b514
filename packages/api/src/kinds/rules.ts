import { accountRules } from "./account.ts";
import { agentRules } from "./agent.ts";
import { apiKeyRules } from "./api-key.ts";
import { backendRules } from "./backend.ts";
import { clusterRules } from "./cluster.ts";
import { environmentRules } from "./environment.ts";
import { instanceRules } from "./instance.ts";
import { inventoryRules } from "./inventory.ts";
import type { KindRules } from "./kind-rules.ts";
import { networkRules } from "./network.ts";
import { nodePoolRules } from "./node-pool.ts";
import { projectRules } from "./project.ts";
import { roleBindingRules } from "./role-binding.ts";
import { securityGroupRules } from "./security-group.ts";
import { sshKeyRules } from "./ssh-key.ts";
import { storageRules } from "./storage.ts";
import { userRules } from "./user.ts";
import { volumeRules } from "./volume.ts";
import { volumeSnapshotRules } from "./volume-snapshot.ts";

const rules: Readonly<Record<string, KindRules>> = {
  Account: accountRules,
  Agent: agentRules,
  ApiKey: apiKeyRules,
  Backend: backendRules,
  Cluster: clusterRules,
  Environment: environmentRules,
  Instance: instanceRules,
  Inventory: inventoryRules,
  Network: networkRules,
  NodePool: nodePoolRules,
  Project: projectRules,
  RoleBinding: roleBindingRules,
  SecurityGroup: securityGroupRules,
  SshKey: sshKeyRules,
  Storage: storageRules,
  User: userRules,
  Volume: volumeRules,
  VolumeSnapshot: volumeSnapshotRules,
};

const none: KindRules = {};

/** Returns the rules that are specific to a kind. Most kinds have no specific rules. */
export function rulesOf(kind: string): KindRules {
  return rules[kind] ?? none;
}
