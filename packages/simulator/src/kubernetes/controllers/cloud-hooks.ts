/** A request for a service's load balancer. */
export interface LoadBalancerRequest {
  readonly namespace: string;
  readonly name: string;
  /** Identifies the load balancer: repeated requests with the same uid return the same one. */
  readonly uid: string;
  readonly ports: readonly { readonly port: number; readonly nodePort: number; readonly protocol: string }[];
  readonly annotations: Readonly<Record<string, string>>;
}

/** A request for a claim's volume. */
export interface VolumeRequest {
  readonly namespace: string;
  readonly name: string;
  /** Identifies the volume: repeated requests with the same uid return the same one. */
  readonly uid: string;
  readonly sizeGiB: number;
  readonly storageClass: string;
  readonly provisioner: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** The zone of the node that will use the volume, if known. */
  readonly zone: string | undefined;
}

/**
 * Creates and deletes cloud resources for a cluster: load balancers with network interfaces, and volumes. A repeated call must return the
 * same result. An exception is recorded as an event, and the call is retried.
 */
export interface CloudHooks {
  createLoadBalancer(
    cluster: string,
    request: LoadBalancerRequest,
  ): Promise<{ readonly hostname?: string; readonly ip?: string }>;
  deleteLoadBalancer(cluster: string, uid: string): Promise<void>;
  createVolume(cluster: string, request: VolumeRequest): Promise<{ readonly volumeId: string }>;
  resizeVolume(cluster: string, volumeId: string, sizeGiB: number): Promise<void>;
  deleteVolume(cluster: string, volumeId: string): Promise<void>;
  /**
   * Returns the address range of a cluster's Services. If this method is absent or returns undefined, the default range of the cluster's
   * cloud applies.
   */
  findServiceRange?(cluster: string): Promise<string | undefined>;
  /** Returns whether the Gateway API is enabled in a cluster. If this method is absent, it is not. */
  hasGateways?(cluster: string): Promise<boolean>;
}

/** Hooks that only generate names, for clusters without an account. */
export const namesOnly: CloudHooks = {
  createLoadBalancer: async (_cluster, { uid }) => ({ hostname: `a${uid.replaceAll("-", "")}.elb.simulated` }),
  deleteLoadBalancer: async () => undefined,
  createVolume: async (_cluster, { uid }) => ({ volumeId: `vol-${uid.replaceAll("-", "").slice(-17)}` }),
  resizeVolume: async () => undefined,
  deleteVolume: async () => undefined,
};
