interface Exec {
  command: string;
  args: string[];
}

interface Kubeconfig {
  readonly users?: readonly { readonly user?: { exec?: Exec } }[];
}

/** The cluster of EKS that a kubeconfig asks for a token of; undefined when it does not ask. */
export async function findAwsCluster(kubeconfig: string): Promise<{ cluster: string; region: string } | undefined> {
  const args = listExecs(await read(kubeconfig))[0]?.args ?? [];
  const after = (flag: string): string | undefined => (args.includes(flag) ? args[args.indexOf(flag) + 1] : undefined);
  const [cluster, region] = [after("--cluster-name"), after("--region")];
  return cluster === undefined || region === undefined ? undefined : { cluster, region };
}

/** Replaces the cloud's own command in a kubeconfig by this CLI. Leaves kubeconfigs without an exec plug-in unchanged. */
export async function useOwnExec(kubeconfig: string): Promise<string> {
  const config = await read(kubeconfig);
  const found = await findAwsCluster(kubeconfig);
  if (found === undefined) return kubeconfig;
  for (const exec of listExecs(config)) {
    exec.command = "cloud";
    exec.args = ["k8s", "token", "--cluster-name", found.cluster, "--region", found.region];
  }
  return `${JSON.stringify(config, undefined, 2)}\n`;
}

async function read(kubeconfig: string): Promise<Kubeconfig> {
  const { parse } = await import("yaml");
  return parse(kubeconfig) as Kubeconfig;
}

function listExecs({ users = [] }: Kubeconfig): Exec[] {
  return users.flatMap(({ user }) => (user?.exec === undefined ? [] : [user.exec]));
}
