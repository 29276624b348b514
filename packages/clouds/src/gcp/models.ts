// Derived from Google's discovery documents by `scripts/derive-google-models.ts`. Contains only the fields that are used.

export interface Zone {
  readonly name?: string;
  readonly region?: string;
  readonly status?: string;
}

export interface Region {
  readonly name?: string;
  readonly status?: string;
  readonly quotas?: readonly Quota[];
}

export interface Project {
  readonly name?: string;
  readonly quotas?: readonly Quota[];
}

export interface Quota {
  readonly metric?: string;
  readonly limit?: number;
  readonly usage?: number;
}

export interface Network {
  readonly name?: string;
  readonly selfLink?: string;
  readonly description?: string;
  readonly subnetworks?: readonly string[];
}

export interface Subnetwork {
  readonly name?: string;
  readonly selfLink?: string;
  readonly description?: string;
  readonly network?: string;
  readonly region?: string;
  readonly ipCidrRange?: string;
  readonly secondaryIpRanges?: readonly SubnetworkSecondaryRange[];
}

export interface SubnetworkSecondaryRange {
  readonly rangeName?: string;
  readonly ipCidrRange?: string;
}

export interface Address {
  readonly name?: string;
  readonly selfLink?: string;
  readonly description?: string;
  readonly address?: string;
  readonly addressType?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly status?: string;
  readonly region?: string;
}

export interface Router {
  readonly name?: string;
  readonly selfLink?: string;
  readonly description?: string;
  readonly network?: string;
  readonly region?: string;
  readonly nats?: readonly RouterNat[];
}

export interface RouterNat {
  readonly name?: string;
  readonly natIps?: readonly string[];
}

export interface Firewall {
  readonly name?: string;
  readonly selfLink?: string;
  readonly description?: string;
  readonly network?: string;
  readonly targetTags?: readonly string[];
}

export interface Disk {
  readonly name?: string;
  readonly selfLink?: string;
  readonly description?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly labelFingerprint?: string;
  readonly users?: readonly string[];
  readonly zone?: string;
  readonly status?: string;
}

export interface ZoneSetLabelsRequest {
  readonly labels?: Readonly<Record<string, string>>;
  readonly labelFingerprint?: string;
}

export interface Instance {
  readonly name?: string;
  readonly machineType?: string;
  readonly status?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly scheduling?: Scheduling;
  readonly zone?: string;
}

export interface Scheduling {
  readonly provisioningModel?: string;
  readonly preemptible?: boolean;
}

export interface MachineType {
  readonly name?: string;
  readonly guestCpus?: number;
  readonly zone?: string;
  readonly deprecated?: DeprecationStatus;
}

export interface DeprecationStatus {
  readonly state?: string;
}

export interface InstanceGroupManager {
  readonly name?: string;
  readonly targetSize?: number;
}

export interface Operation {
  readonly name?: string;
  readonly status?: string;
  readonly error?: {
    readonly errors?: readonly {
      readonly code?: string;
      readonly errorDetails?: readonly {
        readonly errorInfo?: object;
        readonly help?: object;
        readonly localizedMessage?: object;
        readonly quotaInfo?: object;
      }[];
      readonly location?: string;
      readonly message?: string;
    }[];
  };
  readonly selfLink?: string;
  readonly zone?: string;
  readonly region?: string;
}

export interface Cluster {
  readonly name?: string;
  readonly location?: string;
  readonly status?: string;
  readonly resourceLabels?: Readonly<Record<string, string>>;
  readonly nodePools?: readonly NodePool[];
  readonly endpoint?: string;
}

export interface NodePool {
  readonly name?: string;
  readonly config?: NodeConfig;
  readonly instanceGroupUrls?: readonly string[];
  readonly initialNodeCount?: number;
}

export interface NodeConfig {
  readonly labels?: Readonly<Record<string, string>>;
  readonly resourceLabels?: Readonly<Record<string, string>>;
  readonly machineType?: string;
}

export interface ServerConfig {
  readonly validMasterVersions?: readonly string[];
  readonly defaultClusterVersion?: string;
  readonly channels?: readonly ReleaseChannelConfig[];
}

export interface ReleaseChannelConfig {
  readonly channel?: string;
  readonly defaultVersion?: string;
  readonly validVersions?: readonly string[];
}
