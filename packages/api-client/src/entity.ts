import type { KindName } from "@cloudwright/contract/kinds";
import type { AccountJson } from "@cloudwright/contract/gen/cloudwright/v1/account_pb.ts";
import type { AgentJson } from "@cloudwright/contract/gen/cloudwright/v1/agent_pb.ts";
import type { ApiKeyJson } from "@cloudwright/contract/gen/cloudwright/v1/api_key_pb.ts";
import type { BackendJson } from "@cloudwright/contract/gen/cloudwright/v1/backend_pb.ts";
import type { ClusterJson } from "@cloudwright/contract/gen/cloudwright/v1/cluster_pb.ts";
import type { EnvironmentJson } from "@cloudwright/contract/gen/cloudwright/v1/environment_pb.ts";
import type { EventJson } from "@cloudwright/contract/gen/cloudwright/v1/event_pb.ts";
import type { InstanceJson } from "@cloudwright/contract/gen/cloudwright/v1/instance_pb.ts";
import type { MetadataJson, StatusJson } from "@cloudwright/contract/gen/cloudwright/v1/metadata_pb.ts";
import type { InventoryJson } from "@cloudwright/contract/gen/cloudwright/v1/inventory_pb.ts";
import type { NetworkJson } from "@cloudwright/contract/gen/cloudwright/v1/network_pb.ts";
import type { NodePoolJson } from "@cloudwright/contract/gen/cloudwright/v1/node_pool_pb.ts";
import type { OperationJson } from "@cloudwright/contract/gen/cloudwright/v1/operation_pb.ts";
import type { ProjectJson } from "@cloudwright/contract/gen/cloudwright/v1/project_pb.ts";
import type { RoleBindingJson } from "@cloudwright/contract/gen/cloudwright/v1/role_binding_pb.ts";
import type { SecurityGroupJson } from "@cloudwright/contract/gen/cloudwright/v1/security_group_pb.ts";
import type { SshKeyJson } from "@cloudwright/contract/gen/cloudwright/v1/ssh_key_pb.ts";
import type { StorageJson } from "@cloudwright/contract/gen/cloudwright/v1/storage_pb.ts";
import type { TaskJson } from "@cloudwright/contract/gen/cloudwright/v1/task_pb.ts";
import type { UserJson } from "@cloudwright/contract/gen/cloudwright/v1/user_pb.ts";
import type { VolumeJson } from "@cloudwright/contract/gen/cloudwright/v1/volume_pb.ts";
import type { VolumeSnapshotJson } from "@cloudwright/contract/gen/cloudwright/v1/volume_snapshot_pb.ts";

/** The JSON type of each kind, as sent by the client. */
export interface EntityByKind {
  Account: AccountJson;
  Agent: AgentJson;
  ApiKey: ApiKeyJson;
  Backend: BackendJson;
  Cluster: ClusterJson;
  Environment: EnvironmentJson;
  Instance: InstanceJson;
  Network: NetworkJson;
  NodePool: NodePoolJson;
  Operation: OperationJson;
  Project: ProjectJson;
  RoleBinding: RoleBindingJson;
  SecurityGroup: SecurityGroupJson;
  SshKey: SshKeyJson;
  Storage: StorageJson;
  Task: TaskJson;
  User: UserJson;
  Volume: VolumeJson;
  Inventory: InventoryJson;
  VolumeSnapshot: VolumeSnapshotJson;
}

/** The fields that entities of all kinds share. */
export interface AnyEntity {
  metadata?: MetadataJson;
  spec?: object;
  status?: StatusJson;
}

/** An entity as returned by the server. Its name, uid and version are always set. */
export type Stored<Entity> = Entity & {
  metadata: MetadataJson & Required<Pick<MetadataJson, "name" | "uid" | "resourceVersion">>;
};

/** One page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** The token that requests the next page. Undefined on the last page. */
  readonly nextPageToken?: string;
  /** The version of the list. A watch that starts at this version does not miss any later change. */
  readonly resourceVersion?: string;
}

/** A committed change, or SYNCED. SYNCED is sent once, after all entities that existed when the watch started. */
export type WatchEvent<Entity> =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly kind: KindName; readonly object: Stored<Entity> }
  | { readonly type: "SYNCED" };

/** One item of a project's stream: a changed entity or a new event. */
export type ProjectWatchEvent =
  | WatchEvent<AnyEntity>
  | { readonly type: "ADDED"; readonly kind: "Event"; readonly object: EventJson };
