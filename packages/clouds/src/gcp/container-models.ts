// Derived from Google's discovery documents by `scripts/derive-google-models.ts`. Contains only the fields that are used.

export interface Cluster {
  readonly name?: string;
  readonly location?: string;
  readonly locations?: readonly string[];
  readonly status?: string;
  readonly statusMessage?: string;
  readonly conditions?: readonly StatusCondition[];
  readonly resourceLabels?: Readonly<Record<string, string>>;
  readonly labelFingerprint?: string;
  readonly nodePools?: readonly NodePool[];
  readonly endpoint?: string;
  readonly masterAuth?: MasterAuth;
  readonly controlPlaneEndpointsConfig?: ControlPlaneEndpointsConfig;
  readonly masterAuthorizedNetworksConfig?: MasterAuthorizedNetworksConfig;
  readonly currentMasterVersion?: string;
  readonly initialClusterVersion?: string;
  readonly network?: string;
  readonly subnetwork?: string;
  readonly networkConfig?: NetworkConfig;
  readonly ipAllocationPolicy?: IPAllocationPolicy;
  readonly privateClusterConfig?: PrivateClusterConfig;
  readonly releaseChannel?: ReleaseChannel;
  readonly workloadIdentityConfig?: WorkloadIdentityConfig;
  readonly autopilot?: Autopilot;
  readonly selfLink?: string;
  readonly createTime?: string;
}

export interface StatusCondition {
  readonly code?: string;
  readonly canonicalCode?: string;
  readonly message?: string;
}

export interface MasterAuth {
  readonly clusterCaCertificate?: string;
}

export interface NetworkConfig {
  readonly network?: string;
  readonly subnetwork?: string;
  readonly datapathProvider?: string;
}

export interface IPAllocationPolicy {
  readonly useIpAliases?: boolean;
  readonly clusterSecondaryRangeName?: string;
  readonly servicesSecondaryRangeName?: string;
}

export interface PrivateClusterConfig {
  readonly enablePrivateNodes?: boolean;
  readonly enablePrivateEndpoint?: boolean;
  readonly masterIpv4CidrBlock?: string;
}

export interface ReleaseChannel {
  readonly channel?: string;
}

export interface WorkloadIdentityConfig {
  readonly workloadPool?: string;
}

export interface Autopilot {
  readonly enabled?: boolean;
}

export interface ControlPlaneEndpointsConfig {
  readonly dnsEndpointConfig?: DNSEndpointConfig;
  readonly ipEndpointsConfig?: IPEndpointsConfig;
}

export interface DNSEndpointConfig {
  readonly endpoint?: string;
  readonly allowExternalTraffic?: boolean;
}

export interface IPEndpointsConfig {
  readonly enabled?: boolean;
  readonly enablePublicEndpoint?: boolean;
  readonly authorizedNetworksConfig?: MasterAuthorizedNetworksConfig;
}

export interface MasterAuthorizedNetworksConfig {
  readonly enabled?: boolean;
  readonly cidrBlocks?: readonly CidrBlock[];
  readonly gcpPublicCidrsAccessEnabled?: boolean;
}

export interface CidrBlock {
  readonly cidrBlock?: string;
}

export interface ListClustersResponse {
  readonly clusters?: readonly Cluster[];
  readonly missingZones?: readonly string[];
}

export interface NodePool {
  readonly name?: string;
  readonly config?: NodeConfig;
  readonly instanceGroupUrls?: readonly string[];
  readonly initialNodeCount?: number;
  readonly locations?: readonly string[];
  readonly autoscaling?: NodePoolAutoscaling;
  readonly networkConfig?: NodeNetworkConfig;
  readonly management?: NodeManagement;
  readonly status?: string;
  readonly statusMessage?: string;
  readonly conditions?: readonly StatusCondition[];
  readonly version?: string;
  readonly selfLink?: string;
}

export interface NodeManagement {
  readonly autoRepair?: boolean;
  readonly autoUpgrade?: boolean;
}

export interface NodeConfig {
  readonly labels?: Readonly<Record<string, string>>;
  readonly resourceLabels?: Readonly<Record<string, string>>;
  readonly machineType?: string;
  readonly imageType?: string;
  readonly taints?: readonly NodeTaint[];
  readonly spot?: boolean;
  readonly preemptible?: boolean;
  readonly diskSizeGb?: number;
  readonly diskType?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly oauthScopes?: readonly string[];
  readonly serviceAccount?: string;
  readonly shieldedInstanceConfig?: object;
  readonly tags?: readonly string[];
  readonly workloadMetadataConfig?: WorkloadMetadataConfig;
}

export interface WorkloadMetadataConfig {
  readonly mode?: string;
}

export interface NodeTaint {
  readonly key?: string;
  readonly value?: string;
  readonly effect?: string;
}

export interface NodeNetworkConfig {
  readonly subnetwork?: string;
}

export interface NodePoolAutoscaling {
  readonly enabled?: boolean;
  readonly minNodeCount?: number;
  readonly maxNodeCount?: number;
  readonly totalMinNodeCount?: number;
  readonly totalMaxNodeCount?: number;
  readonly locationPolicy?: string;
}

export interface UpdateNodePoolRequest {
  readonly nodeVersion?: string;
  readonly imageType?: string;
  readonly locations?: readonly string[];
  readonly labels?: NodeLabels;
  readonly taints?: NodeTaints;
  readonly resourceLabels?: ResourceLabels;
  readonly machineType?: string;
  readonly diskSizeGb?: string;
  readonly diskType?: string;
  readonly tags?: NetworkTags;
}

export interface NetworkTags {
  readonly tags?: readonly string[];
}

export interface ClusterUpdate {
  readonly desiredControlPlaneEndpointsConfig?: ControlPlaneEndpointsConfig;
  readonly desiredLocations?: readonly string[];
  readonly desiredMasterAuthorizedNetworksConfig?: MasterAuthorizedNetworksConfig;
  readonly desiredReleaseChannel?: ReleaseChannel;
  readonly desiredWorkloadIdentityConfig?: WorkloadIdentityConfig;
}

export interface NodeLabels {
  readonly labels?: Readonly<Record<string, string>>;
}

export interface NodeTaints {
  readonly taints?: readonly NodeTaint[];
}

export interface ResourceLabels {
  readonly labels?: Readonly<Record<string, string>>;
}

export interface ServerConfig {
  readonly validMasterVersions?: readonly string[];
  readonly validNodeVersions?: readonly string[];
  readonly defaultClusterVersion?: string;
  readonly channels?: readonly ReleaseChannelConfig[];
}

export interface ReleaseChannelConfig {
  readonly channel?: string;
  readonly defaultVersion?: string;
  readonly validVersions?: readonly string[];
}
