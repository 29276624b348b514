import type { KindName } from "@cloudwright/contract/kinds";
import { account } from "./account.ts";
import { agent } from "./agent.ts";
import { apiKey } from "./api-key.ts";
import { backend } from "./backend.ts";
import { cluster } from "./cluster.ts";
import { environment } from "./environment.ts";
import { instance } from "./instance.ts";
import { inventory } from "./inventory.ts";
import { network } from "./network.ts";
import { nodePool } from "./node-pool.ts";
import { operation } from "./operation.ts";
import { project } from "./project.ts";
import { roleBinding } from "./role-binding.ts";
import { securityGroup } from "./security-group.ts";
import { sshKey } from "./ssh-key.ts";
import { storage } from "./storage.ts";
import { task } from "./task.ts";
import { user } from "./user.ts";
import { volume } from "./volume.ts";
import { volumeSnapshot } from "./volume-snapshot.ts";
import type { CliKind } from "./cli-kind.ts";
import type { Verb } from "./verbs.ts";

const byName: { readonly [Name in KindName]: CliKind<Name> } = {
  Project: project,
  User: user,
  Backend: backend,
  ApiKey: apiKey,
  RoleBinding: roleBinding,
  Environment: environment,
  Account: account,
  Network: network,
  Cluster: cluster,
  NodePool: nodePool,
  Storage: storage,
  SshKey: sshKey,
  SecurityGroup: securityGroup,
  Inventory: inventory,
  Instance: instance,
  Volume: volume,
  VolumeSnapshot: volumeSnapshot,
  Agent: agent,
  Operation: operation,
  Task: task,
};

export function cliKindOf({ kind }: { readonly kind: string }): CliKind<never> {
  return byName[kind as KindName];
}

export function hasVerb(kind: string, verb: Verb): boolean {
  return cliKindOf({ kind }).verbs.includes(verb);
}

/** Returns true if the kind's entities have a timeline and can be followed until they end, like operations. */
export function hasTimeline(kind: { readonly kind: string }): boolean {
  return cliKindOf(kind).hasTimeline === true;
}
