/** Where a cluster of EKS answers. */
export interface ClusterPlace {
  /** What the context is to be called. */
  readonly context: string;
  readonly endpoint: string;
  /** PEM in base64. */
  readonly caData: string;
}

/** A kubeconfig without any secret: whoever uses it proves themselves to AWS, which decides what they may do. JSON, which is YAML. */
export function printExecKubeconfig(
  place: ClusterPlace,
  /** What AWS calls the cluster, and where it is. */
  { name, region }: { readonly name: string; readonly region: string },
): string {
  const args = ["eks", "get-token", "--cluster-name", name, ...(region === "" ? [] : ["--region", region]), "--output", "json"];
  return print(place, place.context, {
    exec: { apiVersion: "client.authentication.k8s.io/v1beta1", command: "aws", args, interactiveMode: "Never" },
  });
}

/** A kubeconfig with a token in it. Those of other roles than admin have contexts of their own, so that they can lie beside it. */
export function printTokenKubeconfig(place: ClusterPlace, role: "admin" | "viewer", token: string): string {
  return print(place, role === "admin" ? place.context : `${place.context}-${role}`, { token });
}

function print({ context, endpoint, caData }: ClusterPlace, name: string, user: object): string {
  const kubeconfig = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": name,
    clusters: [{ name: context, cluster: { server: endpoint, "certificate-authority-data": caData } }],
    contexts: [{ name, context: { cluster: context, user: name } }],
    users: [{ name, user }],
  };
  return `${JSON.stringify(kubeconfig, undefined, 2)}\n`;
}
