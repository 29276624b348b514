/** The objects that a managed Kubernetes service installs in every new cluster. */
export interface ClusterContents {
  /** The DaemonSet that connects pods to the cloud's network. */
  readonly networkPlugin: { readonly name: string; readonly image: string };
  /** The default storage class. The name of its provisioner is also the name of the storage driver. */
  readonly storageClass: {
    readonly name: string;
    readonly provisioner: string;
    readonly parameters: Readonly<Record<string, string>>;
  };
}
