/** What an instance is made of. */
export interface InstanceSpec {
  readonly uid: string;
  /** Host name. */
  readonly name: string;
  /** Project that owns the instance. */
  readonly project: string;
  readonly image: string;
  /** Number of processors, which may be a fraction. */
  readonly cpus: number;
  readonly memoryMib: number;
  /** Size of the root disk. */
  readonly diskGib: number;
  readonly port: InstancePort;
  readonly access: InstanceAccess;
  /** cloud-init user data of the user: a cloud-config document, a script or another format with a first line that names it. */
  readonly userData?: string | undefined;
  /** Gives the instance the additional rights that kubelet and containerd need. */
  readonly nodeOfCluster?: boolean | undefined;
}

/** The port of an instance. The network creates it, with a network namespace that contains the interface `host0`. */
export interface InstancePort {
  /** Name of the network namespace in /run/netns. */
  readonly namespace: string;
  readonly address: string;
  readonly prefixLength: number;
  readonly gateway: string;
  readonly mac: string;
  /** Addresses of name servers. */
  readonly dns: readonly string[];
}

/** Who may log in, and the host key that proves the instance's identity to them. */
export interface InstanceAccess {
  readonly user: string;
  readonly authorizedKeys: readonly string[];
  readonly hostKey: {
    /** Ed25519 key in OpenSSH's format. */
    readonly privateKey: string;
    readonly publicKey: string;
  };
}

/** State of an instance as observed on the host. */
export type InstanceState =
  | {
      readonly state: "running";
      /** Process id of the instance's init process. */
      readonly leader: number;
    }
  | { readonly state: "stopped" | "absent" };

/**
 * A way to run instances, such as containers. Every method can be repeated after it was interrupted. Methods for one instance are never
 * called concurrently.
 */
export interface InstanceDriver {
  readonly name: string;
  /** Whether an instance cannot harm instances of other projects on the same host. */
  readonly isolatesProjects: boolean;
  /** Prepares the disk and the seed of an instance. */
  create(spec: InstanceSpec, signal: AbortSignal | undefined): Promise<void>;
  /** Starts an instance unless it is running. Returns when its init process runs, which is before it can be reached. */
  start(spec: InstanceSpec, signal: AbortSignal | undefined): Promise<void>;
  /** Shuts an instance down in an orderly way, and by force if that takes too long. */
  stop(uid: string, signal: AbortSignal | undefined): Promise<void>;
  /** Ends an instance at once, like a power cut. */
  powerOff(uid: string, signal: AbortSignal | undefined): Promise<void>;
  /** Removes an instance and everything it stored, whether it is running or not. */
  remove(uid: string, signal: AbortSignal | undefined): Promise<void>;
  find(uid: string): Promise<InstanceState>;
  /**
   * Allows a running instance to open a block device of the host, given as `major:minor`, or forbids it. It is forbidden after every start.
   */
  setDevice(uid: string, device: string, isAllowed: boolean): Promise<void>;
  /** Returns the end of the console's output. */
  readConsole(uid: string, maxBytes: number): Promise<string>;
  /** Removes objects of instances that are not in the list. */
  removeOthers(uids: readonly string[], signal: AbortSignal | undefined): Promise<void>;
}
