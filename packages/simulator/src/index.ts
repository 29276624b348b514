/**
 * Simulated clouds, for development and tests without a cloud account. The package contains Terraform providers that real Terraform and
 * OpenTofu run, the clouds' own APIs for SDKs and command lines, and a Kubernetes API server for the clusters. All share one inventory per
 * tenant, in which users can cause drift and faults. The package must not know the product's entities: a tenant is only a name.
 */
export * from "./faults.ts";
export { type ApiLimits } from "./api/api-limits.ts";
export { startApiHost, type ApiHost, type ApiHostOptions } from "./api/start-api-host.ts";
export { issueApiCredentials, type CredentialsRequest } from "./api/issue-credentials.ts";
export type { IssuedCredentials } from "./api/api-service.ts";
export { changeRecord, type CloudRecord, type Inventory, type RecordKey } from "./inventory/inventory.ts";
export { findSimulatedCloud, listSimulatedApis } from "./clouds.ts";
export type { SimulatedAccount, SimulatedCloud } from "./cloud/simulated-cloud.ts";
export { awsProvider, createAwsProvider, type AwsOptions } from "./aws/provider.ts";
export { clusterRecordTypes, createClusterCloud, listClusters } from "./managed-kubernetes.ts";
export type { ClusterCloud, ClusterFacts, ClusterNode, ClusterOwner } from "./cloud/managed-kubernetes.ts";
export { countObjects } from "./aws/s3/count-objects.ts";
export type { ClusterApi, DescribeClusterApi } from "./cloud/cluster-api.ts";
export { findInstanceType, type InstanceType } from "./aws/ec2/instance-types.ts";
export { offeredVersions, type OfferedVersion } from "./aws/eks/versions.ts";
export { azureProvider, createAzureProvider, type AzureOptions } from "./azure/provider.ts";
export {
  changeConditions,
  defaultConditions,
  readConditions,
  resetConditions,
  type Conditions,
  type ConditionsChange,
} from "./cloud/conditions.ts";
export { listQuotas, type QuotaName } from "./cloud/quotas.ts";
export { findRegion, listRegions, type CloudName, type Region } from "./cloud/regions.ts";
export { gcpProvider } from "./gcp/provider.ts";
export { listPages } from "./inventory/list-pages.ts";
export { listTagged, tagsOf } from "./inventory/list-tagged.ts";
export { createFileInventory } from "./inventory/file-inventory.ts";
export { createMemoryInventory } from "./inventory/memory-inventory.ts";
export { createWireClusters, type WireClusters } from "./inventory/wire-clusters.ts";
export { openWireConnection, type WireConnection } from "./inventory/wire-connection.ts";
export type { WireOptions } from "./inventory/wire-sender.ts";
export { createWireInventory } from "./inventory/wire-inventory.ts";
export { createWireTrail, type TrailEntry, type WireTrail } from "./inventory/wire-trail.ts";
export {
  namesOnly,
  type CloudHooks,
  type LoadBalancerRequest,
  type VolumeRequest,
} from "./kubernetes/controllers/cloud-hooks.ts";
export { simulatedFaultAnnotation } from "./kubernetes/controllers/kubelet.ts";
export type { KubeObject } from "./kubernetes/cluster/kube-object.ts";
export type { SimulatedNode } from "./kubernetes/cluster/set-nodes.ts";
export type { ClusterRole, TokenOrigin } from "./kubernetes/host/cluster-access.ts";
export {
  createClusterCredentials,
  type ClusterCredentials,
  type ClusterEndpoint,
} from "./kubernetes/host/cluster-credentials.ts";
export {
  startKubernetesHost,
  type ClusterOptions,
  type KubernetesHost,
  type KubernetesHostOptions,
} from "./kubernetes/host/start-host.ts";
export type { WorkTrace } from "./kubernetes/host/work-trace.ts";
export { createFileObjects } from "./kubernetes/objects/file-objects.ts";
export { createMemoryObjects } from "./kubernetes/objects/memory-objects.ts";
export { deletionMark } from "./kubernetes/objects/kubernetes-objects.ts";
export type {
  ClusterRecord,
  KubernetesObjects,
  ObjectChange,
  ObjectKey,
  ObjectSnapshot,
} from "./kubernetes/objects/kubernetes-objects.ts";
export type { User as ClusterUser } from "./kubernetes/rbac/user.ts";
export { startResidentProvider, type ResidentOptions, type ResidentProvider } from "./launch/resident-provider.ts";
export { defaultBundle, writeProviderMirror, type MirrorOptions } from "./launch/provider-mirror.ts";
export { createFileFaults } from "./simulated-faults/file-faults.ts";
export { createMemoryFaults } from "./simulated-faults/memory-faults.ts";
export { createWireFaults } from "./simulated-faults/wire-faults.ts";
export type {
  CountedFault,
  SimulatedFault,
  SimulatedFaultControl,
  SimulatedFaultKind,
  SimulatedFaults,
  Operation,
} from "./simulated-faults/simulated-fault.ts";
export type { Change, DataSourceHooks, HookContext, Problem, ProviderDefinition, ResourceHooks } from "./provider/definition.ts";
export { parseSchema, type CompactSchema } from "./schema/compact-schema.ts";
export type { ProviderSchema } from "./schema/schema.ts";
export { simProvider } from "./sim/provider.ts";
export { unknown, type Value, type ValueMap, type ValueType } from "./values/value.ts";
