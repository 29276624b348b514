import type { SpecCheck } from "./spec-checks.ts";

/**
 * Facts about one cloud that do not require its SDK. Generic code looks up a fact instead of comparing cloud names. Code that calls the
 * cloud belongs in the `clouds` package.
 */
export interface CloudFacts {
  /** Display name of the cloud. */
  readonly title: string;
  /** Display names of the services that the platform uses in the cloud, as one comma-separated string. */
  readonly services: string;
  /** True if this release can build entities in real accounts of the cloud. */
  readonly isSupported: boolean;
  /** True if the cloud consists of the user's own machines. Nothing is billed there, and its accounts are never simulated. */
  readonly isOwn?: boolean;
  /** Name of the managed Kubernetes service; empty if the cloud has none. */
  readonly kubernetesService: string;
  /** Provisioners that can build clusters in the cloud: the allowed values of `provisioner` in a cluster's spec. */
  readonly provisioners: readonly string[];
  /** True if this release can create instances in the cloud. */
  readonly hasInstances?: boolean;
  /** True if this release can create security groups in the cloud. */
  readonly hasSecurityGroups?: boolean;
  /** True if this release can create volumes for instances in the cloud. */
  readonly hasVolumes?: boolean;
  /** True if accounts of the cloud can have inventories of machines that already exist. */
  readonly hasInventories?: boolean;
  /** True if this release can create snapshots of volumes in the cloud, and volumes from snapshots. */
  readonly hasVolumeSnapshots?: boolean;
  /** True if users manage the images of instances through the platform. Other clouds have tools of their own for this. */
  readonly hasMachineImages?: boolean;
  /** The cloud's own rules for instances. Undefined if only the general rules apply. */
  readonly instances?: InstanceFacts;
  /** The least number of workers of a cluster, and why. Undefined if a cluster can be without workers. */
  readonly leastWorkers?: { readonly count: number; readonly reason: string };
  /** Checks for specs of entities in this cloud, keyed by kind. Absent if only the general rules apply. */
  readonly checks?: Readonly<Record<string, SpecCheck>>;
  /** Settings that the cloud does not let users turn off again. Absent if there are none. */
  readonly lastingSettings?: readonly LastingSetting[];
  /** The cloud's own terms, in the singular, for use in messages. */
  readonly terms: { readonly network: string; readonly publicIp: string };
  readonly regions: RegionFacts;
  readonly machines: MachineFacts;
  /** Kubernetes minor versions that the managed service offers, oldest first. Undefined if this release does not know them. */
  readonly kubernetesVersions?: readonly string[];
  /**
   * The newest patch number that the managed service offers for each minor version. Undefined for a cloud without a managed service.
   * Clusters always get the patch version that the service chooses for the minor version.
   */
  readonly kubernetesPatches?: Readonly<Record<string, number>>;
  /** Rules for labels that become tags. Undefined if this release does not set tags in the cloud. */
  readonly tags?: TagFacts;
  readonly network: NetworkFacts;
  readonly terraform: TerraformFacts;
  readonly agent: AgentFacts;
  /** Command that kubectl runs to fetch tokens for the user's own cloud identity. Undefined if the cloud has no such command. */
  readonly kubeconfig?: KubeconfigFacts;
  /** Matches the cloud's own ids for managed clusters. Undefined if the cloud has no managed clusters. */
  readonly clusterId?: RegExp;
  /** Commands of the cloud's own CLI that preflight findings recommend. Undefined for a cloud without a CLI. */
  readonly commands?: CommandFacts;
  /** Limits that the cloud grants to a new account, keyed by the names that simulated accounts use. */
  readonly quotas: Readonly<Record<string, number>>;
  readonly examples: ExampleFacts;
  /** Cluster fields that apply only to this cloud in the first version of the file format. The CLI still accepts them. */
  readonly firstClusterFields: readonly string[];
}

/** A setting that cannot be turned off once it is on. */
export interface LastingSetting {
  readonly kind: string;
  /** Path of the field in the spec. */
  readonly path: readonly string[];
  /** Path of a field that makes the setting irrelevant if it has a value before or after the change. */
  readonly replacedBy?: readonly string[];
  /** Path of another field that makes the setting permanent. Absent if the setting is always permanent. */
  readonly lockedBy?: readonly string[];
  /**
   * Returns why the setting cannot change from one value to another, as the end of a sentence that starts with the field. Returns undefined
   * if it can. Absent if the setting can change in any way, except that it cannot be turned off.
   */
  readonly findLoss?: (before: unknown, after: unknown) => string | undefined;
  /** True if the setting becomes permanent only once it has been applied in the cloud. */
  readonly isAppliedFirst?: boolean;
}

/** Commands of the cloud's own CLI. */
export interface CommandFacts {
  /** Returns the command that shows the quotas of a region and their usage. */
  showQuotas(region: string): string;
  /** The command that requests a higher quota, without the arguments that identify the quota. */
  readonly raiseQuota: string;
  /** Returns the command that lists the machine types of a region and their zones. */
  listMachineTypes(region: string): string;
}

/** Values for the examples in help pages. */
export interface ExampleFacts {
  /** CLI flags for creating a real account. */
  readonly accountFlags: string;
  /** A sample id of a managed cluster. Absent if the cloud has no managed clusters. */
  readonly cluster?: string;
  /** A sample network: its Terraform type and id. */
  readonly network: { readonly type: string; readonly id: string };
  /** A sample subnet: its Terraform type and id. */
  readonly subnet: { readonly type: string; readonly id: string };
  /** A sample change to the network, in the form that the CLI accepts. */
  readonly change: string;
  /** A resource type and the error message that the cloud returns when the quota for this type is exhausted. */
  readonly exhausted: { readonly type: string; readonly message: string };
}

/** Instance rules that differ between clouds. */
export interface InstanceFacts {
  /** Image of instances whose spec does not name one. Absent if it is the platform's usual image. */
  readonly defaultImage?: string;
  /**
   * True if the account's agent can reach the addresses of instances, so that the platform can replace SSH keys on them. Instances elsewhere
   * read their keys only at their first start.
   */
  readonly areReachable?: boolean;
  /** Default size of an instance's root disk. */
  readonly defaultDiskGib: number;
  /** Returns a problem for each field of an instance's spec that the cloud does not accept. */
  listProblems(spec: InstanceShape): readonly { readonly field: string; readonly message: string }[];
}

/** The fields of an instance's spec to which a cloud's rules apply. */
export interface InstanceShape {
  readonly image?: string;
  readonly sshKeys?: readonly string[];
  readonly user?: string;
  readonly metadataTokens?: string;
  readonly zone?: string;
  readonly subnet?: string;
  readonly publicAddress?: boolean;
  readonly rootDisk?: { readonly sizeGib?: number; readonly encrypted?: boolean; readonly kmsKey?: string };
}

export interface RegionFacts {
  /** Known regions with the suffixes of their zones, one character per zone. */
  readonly known: Readonly<Record<string, string>>;
  /** Region that forms, examples and the quickstart use. Empty for a cloud without regions. */
  readonly default: string;
  /** Returns whether the text looks like a region name. The region need not be known. */
  isName(text: string): boolean;
  /** Suffixes of the zones that a network uses if its spec does not list any. */
  readonly defaultZones: readonly string[];
  /** Returns the suffixes of a region's default zones. Absent if they are the same in every region. */
  readonly findDefaultZones?: (region: string) => readonly string[];
  /** Returns the full name of a zone. `zone` may be a suffix: `b` in `eu-west-1` becomes `eu-west-1b`. */
  renderZone(region: string, zone: string): string;
  /** Returns whether a zone may exist in some accounts although `known` does not list it. Absent if all accounts have the same zones. */
  readonly isUncommonZone?: (region: string, zone: string) => boolean;
  /** Paths of the spec fields that contain zones and exist only for this cloud. */
  readonly zoneFields?: readonly (readonly string[])[];
}

export interface MachineFacts {
  /** Machine type of workers whose spec does not set one. */
  readonly defaultType: string;
  /** Machine types that forms suggest, default first. */
  readonly suggestedTypes: readonly string[];
  /**
   * Returns whether the cloud offers this machine type in any region. The function is absent if this release does not know the cloud's
   * machine types.
   */
  readonly isKnown?: (type: string) => boolean;
  /**
   * Lists machine types with similar names, most similar first. A region may not offer them. The function is absent if this release does not
   * know the cloud's machine types.
   */
  readonly listSimilar?: (type: string) => readonly string[];
  /** Returns the size that the name of a machine type states. The function is absent if the names do not state it. */
  readonly measure?: (type: string) => MachineSize | undefined;
}

/** Size of a machine. The number of processors may be a fraction. */
export interface MachineSize {
  readonly cpus: number;
  readonly memoryMib: number;
}

export interface TagFacts {
  /** Maximum number of an entity's labels that can become tags. */
  readonly most: number;
  /** Returns whether a label key is reserved. Programs use reserved tags to identify their own resources, so labels must not set them. */
  isReserved(key: string): boolean;
  /** Returns the key and value in the cloud's syntax. Absent if the cloud accepts labels as they are. The mapping is reversible. */
  readonly render?: (label: readonly [key: string, value: string]) => readonly [key: string, value: string];
  /** Attributes and locals of configurations that record ownership, in addition to tags and labels. Overrides must not set them. */
  readonly attributes?: readonly string[];
  /** Reads the tags from a resource's attributes. Absent if they are in the `tags` attribute. */
  readonly read?: (attributes: Readonly<Record<string, unknown>>) => Readonly<Record<string, string>>;
  /** Maximum length of rendered keys and values. Absent if every valid label fits. */
  readonly maxLength?: number;
}

export interface NetworkFacts {
  /** Number of addresses that the cloud reserves in each subnet. */
  readonly reservedAddresses: number;
  /** Address ranges that the cloud does not accept in networks, or that its Kubernetes service does not support. */
  readonly reservedRanges: readonly string[];
  /** Paths of the spec fields, in addition to `cidr`, that contain address ranges of a network. */
  readonly rangeFields: readonly (readonly string[])[];
}

/** Terraform names for the cloud's providers and resource types. */
export interface TerraformFacts {
  /** Local names of the cloud's Terraform providers. */
  readonly providers: readonly string[];
  /** Source address of the main Terraform provider. Empty for a cloud that is not built with Terraform. */
  readonly source: string;
  /**
   * Resource types of a managed cluster and its machines. The simulator uses them to find the clusters for which it serves a Kubernetes
   * API.
   */
  readonly cluster?: { readonly cluster: string; readonly machines: string };
  /** Resource type of the volumes that a cluster can create on its own. */
  readonly volume?: string;
  /** Resource types that upload a local file, with the attribute that names the file. */
  readonly fileUploads: readonly (readonly [type: RegExp, attribute: string])[];
  /** Arguments and locals that determine the project, subscription or region of a resource. Overrides must not set them. */
  readonly placeArguments: readonly string[];
  /**
   * Matches arguments and locals that name the role or service account that a resource acts as or changes. Overrides must not set them,
   * because they would bypass the account's list of allowed identities. Undefined if the cloud has no such arguments.
   */
  readonly identityArguments?: RegExp;
}

export interface AgentFacts {
  /** Matches the environment variables that override the cloud's API endpoints. Their values are URLs. */
  readonly endpointVariables: RegExp | undefined;
  /** Environment variable that contains the path of the agent's identity token file. */
  readonly identityTokenVariable: string | undefined;
  /**
   * Returns the label that an agent must have to reach the account, or undefined if none is required. `account` is the section of the
   * account's spec for this cloud.
   */
  findLabel(account: Readonly<Record<string, unknown>>): string | undefined;
  /** Returns whether the account uses the agent's own cloud identity. `account` is the section of the account's spec for this cloud. */
  usesIdentity(account: Readonly<Record<string, unknown>>): boolean;
  /**
   * Account field for the external id that the agent passes when it assumes the account's role. Undefined if the cloud has no external ids.
   */
  readonly externalIdField?: string;
}

/** The command that a kubeconfig runs to fetch tokens for a cluster. */
export interface KubeconfigFacts {
  /** Name of the command. It is also the value of the CLI's `--exec` flag. */
  readonly command: string;
  renderArgs(cluster: ClusterName): readonly string[];
  /**
   * Reads the cluster's name from the command's arguments, or from the kubeconfig's context if the arguments do not contain it. Returns
   * undefined if the arguments do not request a token.
   */
  findCluster(args: readonly string[], context: string): ClusterName | undefined;
  /** True if kubectl must pass the cluster's address to the command. */
  readonly needsClusterInfo?: boolean;
  /** Message that kubectl prints if the command is not installed. */
  readonly installHint?: string;
}

export interface ClusterName {
  readonly cluster: string;
  readonly region: string;
}
