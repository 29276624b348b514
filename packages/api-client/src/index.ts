/**
 * A typed API client for the CLI, the console, agents and users' programs. It depends only on the wire format, not on the server's
 * implementation. It does not load protobuf descriptors, and runs wherever `fetch` is available.
 */
export { Fault, type FieldViolation } from "@cloudwright/platform/fault";
export type { KindName } from "@cloudwright/contract/kinds";
export type { CreateJoinTokenResponseJson } from "@cloudwright/contract/gen/cloudwright/v1/agent_pb.ts";
export type { AuditRecordJson } from "@cloudwright/contract/gen/cloudwright/v1/audit_record_pb.ts";
export type { DriftItemJson, DriftJson } from "@cloudwright/contract/gen/cloudwright/v1/drift_pb.ts";
export type { EventJson } from "@cloudwright/contract/gen/cloudwright/v1/event_pb.ts";
export type {
  CreateTokenRequestJson,
  CreateTokenResponseJson,
  GrantJson,
  ListPermissionsResponseJson,
  PermissionJson,
  WhoAmIResponseJson,
} from "@cloudwright/contract/gen/cloudwright/v1/identity_pb.ts";
export type { ConditionJson, MetadataJson, StatusJson } from "@cloudwright/contract/gen/cloudwright/v1/metadata_pb.ts";
export type { ExistingNodePoolJson } from "@cloudwright/contract/gen/cloudwright/v1/cluster_pb.ts";
export type {
  DiscoveredClusterJson,
  MachineImageJson,
  FindingJson,
  OperationStepJson,
  PreviewItemJson,
  TimelineEntryJson,
} from "@cloudwright/contract/gen/cloudwright/v1/operation_pb.ts";
export type {
  PlanCountsJson,
  PlanFindingJson,
  PlannedAttributeJson,
  PlannedChangeJson,
  PlannedDependencyJson,
  RunJson,
  RunPlanJson,
} from "@cloudwright/contract/gen/cloudwright/v1/run_pb.ts";
export type {
  SimulatedCloudJson,
  SimulatedConditionsJson,
  SimulatedFaultJson,
  SimulatedRecordJson,
} from "@cloudwright/contract/gen/cloudwright/v1/simulator_pb.ts";
export type {
  OutputChangeJson,
  ResourceChangeJson,
  StateContentJson,
  StateDiffJson,
  StateJson,
  StateLockJson,
  StateVersionJson,
} from "@cloudwright/contract/gen/cloudwright/v1/state_pb.ts";
export type { TaskLogLineJson } from "@cloudwright/contract/gen/cloudwright/v1/task_pb.ts";
export { collectionPath, createClient, type Client, type Journal, type Place } from "./client.ts";
export type { DriftQuery, Drifts } from "./drifts.ts";
export type { AnyEntity, EntityByKind, Page, ProjectWatchEvent, Stored, WatchEvent } from "./entity.ts";
export { clientFaults } from "./faults.ts";
export type {
  Allowance,
  CallOptions,
  CreateOptions,
  DeleteOptions,
  ListQuery,
  PatchOptions,
  Resource,
  UpdateOptions,
  WriteOptions,
} from "./resource.ts";
export type { RunQuery, Runs } from "./runs.ts";
export type {
  Accounts,
  Agents,
  ApiKeys,
  InCluster,
  InProject,
  Nowhere,
  Operations,
  Pausable,
  Readable,
  Tasks,
  Writable,
} from "./scoped.ts";
export type { RecordKey, RecordQuery, Simulations } from "./simulations.ts";
export type { States } from "./states.ts";
export type { ClientOptions } from "./transport.ts";
export type { WatchOptions } from "./watch.ts";
