/** The connection details that a kubeconfig needs. */
export interface ClusterConnection {
  /** Name of the context, the cluster and the user in the kubeconfig. */
  readonly context: string;
  readonly endpoint: string;
  /** Certificate authority: PEM, encoded as base64. */
  readonly certificateAuthority: string;
}

/** A command that prints a token. kubectl runs it with the user's own credentials. */
export interface ExecCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly installHint?: string;
  readonly provideClusterInfo?: boolean;
}

/** Renders a kubeconfig without credentials. */
export function renderExecKubeconfig(connection: ClusterConnection, exec: ExecCommand): string {
  const { command, args, environment = {}, installHint, provideClusterInfo } = exec;
  const variables = Object.entries(environment).map(([name, value]) => ({ name, value }));
  const lines = [
    "exec:",
    "  apiVersion: client.authentication.k8s.io/v1beta1",
    `  command: ${quote(command)}`,
    "  args:",
    ...args.map((arg) => `    - ${quote(arg)}`),
    ...(variables.length === 0 ? [] : [`  env: ${JSON.stringify(variables)}`]),
    "  interactiveMode: Never",
    ...(provideClusterInfo === true ? ["  provideClusterInfo: true"] : []),
    ...(installHint === undefined ? [] : [`  installHint: ${quote(installHint)}`]),
  ];
  return render(connection, lines);
}

/** Renders a kubeconfig that contains a token. */
export function renderTokenKubeconfig(connection: ClusterConnection, token: string): string {
  return render(connection, [`token: ${quote(token)}`]);
}

function render({ context, endpoint, certificateAuthority }: ClusterConnection, user: readonly string[]): string {
  const name = quote(context);
  return [
    "apiVersion: v1",
    "kind: Config",
    `current-context: ${name}`,
    "clusters:",
    `  - name: ${name}`,
    "    cluster:",
    `      server: ${quote(endpoint)}`,
    `      certificate-authority-data: ${quote(certificateAuthority)}`,
    "contexts:",
    `  - name: ${name}`,
    "    context:",
    `      cluster: ${name}`,
    `      user: ${name}`,
    "users:",
    `  - name: ${name}`,
    "    user:",
    ...user.map((line) => `      ${line}`),
    "",
  ].join("\n");
}

// Every JSON string is also a valid YAML string.
function quote(text: string): string {
  return JSON.stringify(text);
}
