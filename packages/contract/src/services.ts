import type { DescService } from "@bufbuild/protobuf";
import { AccountService } from "../gen/cloudwright/v1/account_pb.ts";
import { AgentService } from "../gen/cloudwright/v1/agent_pb.ts";
import { ApiKeyService } from "../gen/cloudwright/v1/api_key_pb.ts";
import { AuditService } from "../gen/cloudwright/v1/audit_record_pb.ts";
import { BackendService } from "../gen/cloudwright/v1/backend_pb.ts";
import { ClusterService } from "../gen/cloudwright/v1/cluster_pb.ts";
import { DriftService } from "../gen/cloudwright/v1/drift_pb.ts";
import { EnvironmentService } from "../gen/cloudwright/v1/environment_pb.ts";
import { EventService } from "../gen/cloudwright/v1/event_pb.ts";
import { IdentityService } from "../gen/cloudwright/v1/identity_pb.ts";
import { InstanceService } from "../gen/cloudwright/v1/instance_pb.ts";
import { InventoryService } from "../gen/cloudwright/v1/inventory_pb.ts";
import { NetworkService } from "../gen/cloudwright/v1/network_pb.ts";
import { NodePoolService } from "../gen/cloudwright/v1/node_pool_pb.ts";
import { OperationService } from "../gen/cloudwright/v1/operation_pb.ts";
import { ProjectService } from "../gen/cloudwright/v1/project_pb.ts";
import { RoleBindingService } from "../gen/cloudwright/v1/role_binding_pb.ts";
import { RunService } from "../gen/cloudwright/v1/run_pb.ts";
import { SecurityGroupService } from "../gen/cloudwright/v1/security_group_pb.ts";
import { SimulatorService } from "../gen/cloudwright/v1/simulator_pb.ts";
import { SshKeyService } from "../gen/cloudwright/v1/ssh_key_pb.ts";
import { StateService } from "../gen/cloudwright/v1/state_pb.ts";
import { StorageService } from "../gen/cloudwright/v1/storage_pb.ts";
import { TaskService } from "../gen/cloudwright/v1/task_pb.ts";
import { UserService } from "../gen/cloudwright/v1/user_pb.ts";
import { VolumeService } from "../gen/cloudwright/v1/volume_pb.ts";
import { VolumeSnapshotService } from "../gen/cloudwright/v1/volume_snapshot_pb.ts";
import { WatchService } from "../gen/cloudwright/v1/watch_pb.ts";

export const services: readonly DescService[] = [
  AccountService,
  AgentService,
  ApiKeyService,
  AuditService,
  BackendService,
  ClusterService,
  DriftService,
  EnvironmentService,
  EventService,
  IdentityService,
  InstanceService,
  InventoryService,
  NetworkService,
  NodePoolService,
  OperationService,
  ProjectService,
  RoleBindingService,
  RunService,
  SecurityGroupService,
  SimulatorService,
  SshKeyService,
  StateService,
  StorageService,
  TaskService,
  UserService,
  VolumeService,
  VolumeSnapshotService,
  WatchService,
];
