/** A workload that a managed Kubernetes service runs in every cluster. */
export interface SystemWorkload {
  readonly kind: "Deployment" | "DaemonSet";
  readonly name: string;
  /** The value of the label `k8s-app`. Default: the name. */
  readonly app?: string;
  /** `{version}` stands for the version of the cluster, such as `v1.34.2`. */
  readonly image: string;
  /** Default: `kube-system`. */
  readonly namespace?: string;
  readonly replicas?: number;
}

/** A storage class of a new cluster. The name of its provisioner is also the name of the storage driver. */
export interface SystemStorageClass {
  readonly name: string;
  readonly provisioner: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** Whether claims without a class get this one. Default: false. */
  readonly isDefault?: boolean;
  /** Default: `WaitForFirstConsumer`. */
  readonly bindingMode?: "Immediate" | "WaitForFirstConsumer";
}

/** The objects that a managed Kubernetes service installs in every new cluster. */
export interface ClusterContents {
  /** Namespaces in addition to those of every cluster. */
  readonly namespaces?: readonly string[];
  /** The DNS server must have the `app` `kube-dns`. */
  readonly workloads: readonly SystemWorkload[];
  readonly storageClasses: readonly SystemStorageClass[];
  /** The cluster addresses of the services `kubernetes` and `kube-dns`. */
  readonly addresses: { readonly api: string; readonly dns: string };
}
