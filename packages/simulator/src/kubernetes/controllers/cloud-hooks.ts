/** A service that wants a load balancer. */
export interface LoadBalancerRequest {
  readonly namespace: string;
  readonly name: string;
  /** Names the load balancer: asked again with the same uid, the cloud gives the same one. */
  readonly uid: string;
  readonly ports: readonly { readonly port: number; readonly nodePort: number; readonly protocol: string }[];
  readonly annotations: Readonly<Record<string, string>>;
}

/** A claim that wants a volume. */
export interface VolumeRequest {
  readonly namespace: string;
  readonly name: string;
  /** Names the volume: asked again with the same uid, the cloud gives the same one. */
  readonly uid: string;
  readonly sizeGiB: number;
  readonly storageClass: string;
  readonly provisioner: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** The zone of the node that will use it, where that is known. */
  readonly zone: string | undefined;
}

/**
 * What a cluster asks of its cloud, so that load balancers, network interfaces and volumes are in the account as real ones are.
 * Every call may come more than once for the same thing, and must answer the same. What is thrown becomes an event, and is tried again.
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
}

/** A cloud that only makes up names: for clusters without an account behind them. */
export const namesOnly: CloudHooks = {
  createLoadBalancer: async (_cluster, { uid }) => ({ hostname: `a${uid.replaceAll("-", "")}.elb.simulated` }),
  deleteLoadBalancer: async () => undefined,
  createVolume: async (_cluster, { uid }) => ({ volumeId: `vol-${uid.replaceAll("-", "").slice(-17)}` }),
  resizeVolume: async () => undefined,
  deleteVolume: async () => undefined,
};
