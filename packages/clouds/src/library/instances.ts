import type { CallOptions, CreateOptions, DeleteOptions, WaitOptions } from "./call-options.ts";

/** A name, or the cloud's own ID: `i-...`, an ARN, a self link, or an ARM ID. */
export type InstanceRef = string;

/** The state of a machine. A native status that the library does not know becomes `unknown`. */
export type InstanceStatus = "pending" | "running" | "stopping" | "stopped" | "terminating" | "terminated" | "failed" | "unknown";

/** A machine to create. */
export interface InstanceRequest {
  readonly name: string;
  /**
   * The cloud's own name for an image (`ami-...`, `projects/p/global/images/[family/]f`, `publisher:offer:sku:version`, an ARM ID), or
   * `ubuntu-24.04`, `ubuntu-22.04` or `debian-12`.
   */
  readonly image: string;
  /** Machine type. */
  readonly type: string;
  readonly region?: string;
  readonly zone?: string;
  readonly network?: string;
  readonly subnet?: string;
  /** EC2 security groups, Compute Engine network tags, or the ARM ID of one Azure network security group. */
  readonly securityGroups?: readonly string[];
  /** OpenSSH public keys. */
  readonly sshKeys?: readonly string[];
  /** User that the SSH keys are for. Default: depends on the cloud and the image. */
  readonly user?: string;
  /** Plain text. The library encodes it. */
  readonly userData?: string;
  /** Default false. */
  readonly publicAddress?: boolean;
  readonly rootDisk?: RootDisk;
  readonly tags?: Readonly<Record<string, string>>;
  /** `required` (default) turns IMDSv1 off and sets the hop limit to 1. EC2 only. */
  readonly metadataTokens?: "required" | "optional";
  /** Passed unchanged to the cloud's create request. Fields that the library sets take precedence. */
  readonly native?: Readonly<Record<string, unknown>>;
}

export interface RootDisk {
  readonly sizeGiB?: number;
  /** Default true. */
  readonly encrypted?: boolean;
  readonly kmsKey?: string;
}

/** A machine as the cloud reports it. */
export interface InstanceInfo {
  /** The cloud's own ID: `i-...`, `projects/p/zones/z/instances/i`, or an ARM ID. */
  readonly id: string;
  readonly name: string;
  readonly cloud: string;
  readonly region: string;
  readonly zone?: string;
  readonly status: InstanceStatus;
  readonly nativeStatus: string;
  readonly statusReason?: string;
  readonly type: string;
  readonly image: string;
  readonly privateAddress?: string;
  readonly publicAddress?: string;
  /** User for SSH. Empty if the machine was created without the library and the user is unknown. */
  readonly user: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly createdAt?: Date;
}

export interface ListInstancesOptions extends CallOptions {
  /** Default: the client's region. */
  readonly region?: string;
  /** Lists only machines that have all of these tags. */
  readonly tags?: Readonly<Record<string, string>>;
}

export interface StopOptions extends WaitOptions {
  /** Default `stopped`. */
  readonly wait?: "accepted" | "stopped";
}

export interface StartOptions extends WaitOptions {
  /** Default `ready`. */
  readonly wait?: "accepted" | "ready";
}

/** Virtual machines: EC2, Compute Engine and Azure VMs. */
export interface Instances {
  create(request: InstanceRequest, options?: CreateOptions): Promise<InstanceInfo>;
  /** Throws `clouds.not_found` if there is no such machine, and `clouds.invalid` if several machines share the name. */
  get(instance: InstanceRef, options?: CallOptions): Promise<InstanceInfo>;
  /** Like `get`, but returns undefined if the resource does not exist. */
  find(instance: InstanceRef, options?: CallOptions): Promise<InstanceInfo | undefined>;
  /** Omits machines that no longer exist, even if the cloud still lists them. */
  list(options?: ListInstancesOptions): Promise<readonly InstanceInfo[]>;
  /** Stops the machine, so that the cloud no longer charges for it. */
  stop(instance: InstanceRef, options?: StopOptions): Promise<InstanceInfo>;
  start(instance: InstanceRef, options?: StartOptions): Promise<InstanceInfo>;
  /** Also removes the network interface, public address and disk that `create` created. Succeeds even if nothing exists. */
  terminate(instance: InstanceRef, options?: DeleteOptions): Promise<void>;
  waitReady(instance: InstanceRef, options?: WaitOptions): Promise<InstanceInfo>;
  /** Returns the serial console's output. Empty if the cloud has none yet. */
  readConsole(instance: InstanceRef, options?: CallOptions): Promise<string>;
}
