/** A cluster of EKS as its outputs describe it. */
interface AwsCluster {
  /** What the context is to be called. */
  readonly context: string;
  /** What AWS calls it. */
  readonly name: string;
  readonly region: string;
  readonly endpoint: string;
  /** PEM in base64. */
  readonly caData: string;
}

/** A kubeconfig without any secret: whoever uses it proves themselves to AWS, which decides what they may do. JSON, which is YAML. */
export function printAwsKubeconfig({ context, name, region, endpoint, caData }: AwsCluster): string {
  const args = ["eks", "get-token", "--cluster-name", name, ...(region === "" ? [] : ["--region", region]), "--output", "json"];
  const exec = { apiVersion: "client.authentication.k8s.io/v1beta1", command: "aws", args, interactiveMode: "Never" };
  const kubeconfig = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": context,
    clusters: [{ name: context, cluster: { server: endpoint, "certificate-authority-data": caData } }],
    contexts: [{ name: context, context: { cluster: context, user: context } }],
    users: [{ name: context, user: { exec } }],
  };
  return `${JSON.stringify(kubeconfig, undefined, 2)}\n`;
}
