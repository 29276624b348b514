/** A workload that a managed Kubernetes service runs in every cluster. */
export interface SystemWorkload {
  readonly kind: "Deployment" | "DaemonSet";
  readonly name: string;
  /** The value of the `k8s-app` label. Default: the name. */
  readonly app?: string;
  /** `{version}` stands for the cluster's version, such as `v1.34.2`. */
  readonly image: string;
  /** Default: `kube-system`. */
  readonly namespace?: string;
  readonly replicas?: number;
}

/** A storage class that a new cluster contains. Its provisioner has the same name as the storage driver. */
export interface SystemStorageClass {
  readonly name: string;
  readonly provisioner: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** Whether volume claims without a storage class use this one. Default: false. */
  readonly isDefault?: boolean;
  /** Default: `WaitForFirstConsumer`. */
  readonly bindingMode?: "Immediate" | "WaitForFirstConsumer";
}

/** A class of gateways that a managed Kubernetes service offers in clusters with the Gateway API. */
export interface SystemGatewayClass {
  readonly name: string;
  readonly controllerName: string;
  readonly description: string;
}

/** The objects that a managed Kubernetes service installs in every new cluster. */
export interface ClusterContents {
  /** Namespaces in addition to those that every cluster has. */
  readonly namespaces?: readonly string[];
  /**
   * System workloads. The workload that runs the DNS server must set `app` to `kube-dns`, because the `kube-dns` Service selects its pods
   * by that label.
   */
  readonly workloads: readonly SystemWorkload[];
  readonly storageClasses: readonly SystemStorageClass[];
  /** Gateway classes of clusters in which the Gateway API is enabled. Absent if the service does not offer the Gateway API. */
  readonly gatewayClasses?: readonly SystemGatewayClass[];
  /** The default range of Service addresses, for clusters that do not specify one. */
  readonly serviceRange: string;
}
