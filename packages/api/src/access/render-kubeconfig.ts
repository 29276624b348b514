import type { ClusterName, KubeconfigFacts } from "@cloudwright/contract";

/** The connection details that a kubeconfig needs. */
export interface ClusterPlace {
  readonly context: string;
  readonly endpoint: string;
  /** The CA certificate as base64-encoded PEM. */
  readonly caData: string;
}

/** Renders a kubeconfig without secrets. kubectl runs the cloud's command-line tool to obtain a token with the user's own identity. */
export function renderExecKubeconfig(place: ClusterPlace, program: KubeconfigFacts, cluster: ClusterName): string {
  const { command, needsClusterInfo, installHint } = program;
  const args = program.renderArgs(cluster);
  return print(place, place.context, {
    exec: {
      apiVersion: "client.authentication.k8s.io/v1beta1",
      command,
      args,
      interactiveMode: "Never",
      ...(needsClusterInfo === true ? { provideClusterInfo: true } : {}),
      ...(installHint === undefined ? {} : { installHint }),
    },
  });
}

/**
 * Renders a kubeconfig that contains a token. The context name includes any role other than admin, so that kubeconfigs with different
 * roles can be merged.
 */
export function renderTokenKubeconfig(place: ClusterPlace, role: "admin" | "viewer", token: string): string {
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
