import type { ClusterName, KubeconfigFacts } from "@cloudwright/contract";

/** How the Kubernetes API of a cluster is reached. */
export interface ClusterPlace {
  /** Name of the context. */
  readonly context: string;
  readonly endpoint: string;
  /** The CA certificate: PEM in base64. */
  readonly caData: string;
}

/** Renders a kubeconfig without any secret. A program of the cloud fetches a token with the user's own identity for each use. */
export function printExecKubeconfig(place: ClusterPlace, program: KubeconfigFacts, cluster: ClusterName): string {
  const { command } = program;
  const args = program.renderArgs(cluster);
  return print(place, place.context, {
    exec: { apiVersion: "client.authentication.k8s.io/v1beta1", command, args, interactiveMode: "Never" },
  });
}

/** Renders a kubeconfig with a token. Roles other than admin have a context of their own, so that several can be merged. */
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
