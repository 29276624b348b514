import { cloudNames, defaultCloud, getCloud, type ClusterName, type CloudName } from "@cloudwright/contract/clouds";
import { Fault } from "@cloudwright/platform";
import { cliFaults } from "./faults.ts";

interface Exec {
  command: string;
  args?: string[];
  installHint?: string;
}

interface Kubeconfig {
  readonly "current-context"?: string;
  readonly users?: readonly { readonly user?: { exec?: Exec } }[];
}

/** A cluster whose kubeconfig gets its tokens from a cloud CLI. */
export interface ExecCluster extends ClusterName {
  readonly cloud: CloudName;
}

/** Returns the cluster for which a kubeconfig fetches tokens, or undefined if the kubeconfig contains a static token. */
export async function findExecCluster(kubeconfig: string): Promise<ExecCluster | undefined> {
  const config = await read(kubeconfig);
  const [exec] = listExecs(config);
  if (exec === undefined) return undefined;
  for (const cloud of cloudNames) {
    const { kubeconfig: program } = getCloud(cloud);
    if (program?.command !== exec.command) continue;
    const found = program.findCluster(exec.args ?? [], config["current-context"] ?? "");
    if (found !== undefined) return { cloud, ...found };
  }
  return undefined;
}

/**
 * Makes a kubeconfig fetch tokens with a program. `cloud` stands for `cloud k8s token`. Throws if the program is the CLI of another cloud.
 * Returns a kubeconfig with a static token unchanged.
 */
export async function useExec(kubeconfig: string, program: string): Promise<string> {
  const config = await read(kubeconfig);
  const own = listExecs(config).find(({ command }) => command !== program);
  if (own === undefined) return kubeconfig;
  if (program !== "cloud")
    throw new Fault(
      cliFaults.usage,
      `${program} cannot print tokens for this cluster; use --exec ${own.command} or --exec cloud`,
    );
  const found = await findExecCluster(kubeconfig);
  if (found === undefined) return kubeconfig;
  const { cloud, cluster, region } = found;
  for (const exec of listExecs(config)) {
    exec.command = "cloud";
    delete exec.installHint;
    exec.args = ["k8s", "token", "--cluster-name", cluster, "--region", region];
    if (cloud !== defaultCloud) exec.args.push("--cloud", cloud);
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
