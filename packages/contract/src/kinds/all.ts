import { account } from "./account.ts";
import { agent } from "./agent.ts";
import { apiKey } from "./api-key.ts";
import { backend } from "./backend.ts";
import { cluster } from "./cluster.ts";
import { environment } from "./environment.ts";
import { instance } from "./instance.ts";
import type { KindDeclaration } from "./kind.ts";
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

/** All kinds of entities. Each kind comes after the kinds it references. A test compares the list with the proto files. */
export const declaredKinds = [
  project,
  user,
  backend,
  apiKey,
  roleBinding,
  environment,
  account,
  network,
  cluster,
  nodePool,
  storage,
  sshKey,
  securityGroup,
  inventory,
  instance,
  volume,
  volumeSnapshot,
  agent,
  operation,
  task,
] as const satisfies readonly KindDeclaration[];

export type KindName = (typeof declaredKinds)[number]["kind"];
