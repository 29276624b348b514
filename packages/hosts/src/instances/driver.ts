/** The specification of an instance. */
export interface InstanceSpec {
  readonly uid: string;
  /** Host name. */
  readonly name: string;
  /** Project that owns the instance. */
  readonly project: string;
  readonly image: string;
  /** Number of processors. Fractions are allowed. */
  readonly cpus: number;
  readonly memoryMib: number;
  /** Size of the root disk. */
  readonly diskGib: number;
  readonly port: InstancePort;
  readonly access: InstanceAccess;
  /** cloud-init user data from the user. Its first line names the format, such as `#cloud-config` or `#!/bin/sh`. */
  readonly userData?: string | undefined;
  /** Gives the instance the additional privileges that kubelet and containerd need. */
  readonly nodeOfCluster?: boolean | undefined;
}

/** The port of an instance. The network creates it, together with a network namespace that contains the interface `host0`. */
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

/** The user who may log in over SSH, and the host key that proves the instance's identity. */
export interface InstanceAccess {
  readonly user: string;
  readonly authorizedKeys: readonly string[];
  readonly hostKey: {
    /** Ed25519 private key in the OpenSSH format. */
    readonly privateKey: string;
    readonly publicKey: string;
  };
}

/** State of an instance as observed on the host. */
export type InstanceState =
  | {
      readonly state: "running";
      /** Process id of the instance's init process on the host. */
      readonly leader: number;
    }
  | { readonly state: "stopped" | "absent" };

/**
 * Runs instances, for example as containers. Every method can be repeated after an interruption. Methods for one instance are never called
 * concurrently.
 */
export interface InstanceDriver {
  readonly name: string;
  /** True if instances are isolated from instances of other projects on the same host. */
  readonly isolatesProjects: boolean;
  /** Prepares the disk and the seed of an instance. */
  create(spec: InstanceSpec, signal: AbortSignal | undefined): Promise<void>;
  /**
   * Starts an instance unless it is running. Returns when its init process is running, which is before the instance accepts connections.
   */
  start(spec: InstanceSpec, signal: AbortSignal | undefined): Promise<void>;
  /** Shuts an instance down cleanly, or by force if that takes too long. */
  stop(uid: string, signal: AbortSignal | undefined): Promise<void>;
  /** Stops an instance immediately, as a power cut would. */
  powerOff(uid: string, signal: AbortSignal | undefined): Promise<void>;
  /** Removes an instance and all its data, whether or not the instance is running. */
  remove(uid: string, signal: AbortSignal | undefined): Promise<void>;
  find(uid: string): Promise<InstanceState>;
  /**
   * Allows or denies a running instance access to a block device of the host, given as `major:minor`. Access is denied again after every
   * start.
   */
  setDevice(uid: string, device: string, isAllowed: boolean): Promise<void>;
  /** Returns the last `maxBytes` bytes of the console's output. */
  readConsole(uid: string, maxBytes: number): Promise<string>;
  /** Removes the processes, files and kernel objects of all instances that are not in the list. */
  removeOthers(uids: readonly string[], signal: AbortSignal | undefined): Promise<void>;
}
