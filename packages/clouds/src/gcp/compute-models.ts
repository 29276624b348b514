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
  readonly direction?: string;
  readonly priority?: number;
  readonly sourceRanges?: readonly string[];
  readonly sourceTags?: readonly string[];
  readonly destinationRanges?: readonly string[];
  readonly allowed?: readonly { readonly IPProtocol?: string; readonly ports?: readonly string[] }[];
  readonly denied?: readonly { readonly IPProtocol?: string; readonly ports?: readonly string[] }[];
  readonly disabled?: boolean;
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
  readonly sourceImage?: string;
  readonly sizeGb?: string;
  readonly type?: string;
}

export interface DisksResizeRequest {
  readonly sizeGb?: string;
}

export interface ZoneSetLabelsRequest {
  readonly labels?: Readonly<Record<string, string>>;
  readonly labelFingerprint?: string;
}

export interface Instance {
  readonly name?: string;
  readonly machineType?: string;
  readonly status?: string;
  readonly statusMessage?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly labelFingerprint?: string;
  readonly scheduling?: Scheduling;
  readonly zone?: string;
  readonly selfLink?: string;
  readonly creationTimestamp?: string;
  readonly disks?: readonly AttachedDisk[];
  readonly networkInterfaces?: readonly NetworkInterface[];
  readonly metadata?: Metadata;
  readonly tags?: Tags;
  readonly deletionProtection?: boolean;
  readonly serviceAccounts?: readonly ServiceAccount[];
  readonly shieldedInstanceConfig?: ShieldedInstanceConfig;
}

export interface AttachedDisk {
  readonly boot?: boolean;
  readonly autoDelete?: boolean;
  readonly source?: string;
  readonly deviceName?: string;
  readonly mode?: string;
  readonly diskSizeGb?: string;
  readonly initializeParams?: AttachedDiskInitializeParams;
  readonly diskEncryptionKey?: CustomerEncryptionKey;
}

export interface AttachedDiskInitializeParams {
  readonly sourceImage?: string;
  readonly diskSizeGb?: string;
  readonly diskType?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

export interface CustomerEncryptionKey {
  readonly kmsKeyName?: string;
}

export interface NetworkInterface {
  readonly network?: string;
  readonly subnetwork?: string;
  readonly networkIP?: string;
  readonly accessConfigs?: readonly AccessConfig[];
}

export interface AccessConfig {
  readonly type?: string;
  readonly name?: string;
  readonly natIP?: string;
}

export interface Metadata {
  readonly fingerprint?: string;
  readonly items?: readonly { readonly key?: string; readonly value?: string }[];
}

export interface Tags {
  readonly fingerprint?: string;
  readonly items?: readonly string[];
}

export interface ServiceAccount {
  readonly email?: string;
  readonly scopes?: readonly string[];
}

export interface ShieldedInstanceConfig {
  readonly enableSecureBoot?: boolean;
  readonly enableVtpm?: boolean;
  readonly enableIntegrityMonitoring?: boolean;
}

export interface SerialPortOutput {
  readonly contents?: string;
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
  readonly httpErrorStatusCode?: number;
  readonly httpErrorMessage?: string;
}
