import { cloudNames, defaultCloud, getCloud, type CloudName } from "@cloudwright/contract/clouds";
import { getKind } from "@cloudwright/contract/kinds";
import { Fault } from "@cloudwright/platform/fault";
import { Option } from "commander";
import { addCommonFlags } from "../common-flags.ts";
import { addExamples, type Configure } from "../command-context.ts";
import { openSession } from "../connection/session.ts";
import { cliFaults } from "../faults.ts";
import { findExecCluster, type ExecCluster } from "../kubeconfig-exec.ts";
import { parseName } from "../references.ts";

/** `cloud k8s token`: prints an ExecCredential for kubectl, based on the caller's cloud identity. Standard output contains nothing else. */
export const configureClusterToken: Configure = (command, { world }) => {
  command.argument(
    "[name]",
    "name or uid of the cluster; not needed with --cluster-name and --region, which also work without a server",
  );
  command.option("--cluster-name <name>", "name of the cluster in the cloud");
  command.option("--region <region>", "region of the cluster");
  command.addOption(new Option("--cloud <cloud>", "the cluster's cloud").choices(cloudNames).default(defaultCloud).hideHelp());
  addExamples(
    command,
    "cloud k8s token dev-cluster",
    `cloud k8s token --cluster-name dev-1a2b3c4d --region ${getCloud(defaultCloud).regions.default}`,
  );
  addCommonFlags(command).action(
    async (name: string | undefined, flags: { clusterName?: string; region?: string; cloud: CloudName }) => {
      const { clusterName: cluster, region, cloud } = flags;
      const request = cluster === undefined || region === undefined ? await lookUp(name) : { cloud, cluster, region };
      const { createProvider } = await import("@cloudwright/clouds/providers");
      const { token, expiresAt } = await createProvider(request.cloud).createOwnToken(request);
      const status = { expirationTimestamp: expiresAt.toISOString().replace(/\.\d+Z$/, "Z"), token: token.reveal() };
      const apiVersion = findApiVersion(world.environment["KUBERNETES_EXEC_INFO"]);
      const credential = { apiVersion, kind: "ExecCredential", spec: {}, status };
      world.stdout.write(`${JSON.stringify(credential)}\n`);
    },
  );

  async function lookUp(name: string | undefined): Promise<ExecCluster> {
    if (name === undefined)
      throw new Fault(cliFaults.usage, "a cluster is required: specify its name, or both --cluster-name and --region");
    const { client, project } = await openSession(world, command);
    const reference = parseName(getKind("Cluster"), name);
    const { kubeconfig = "" } = await client.clusters.kubeconfig(project, reference.name, { exec: true, signal: world.signal });
    const found = await findExecCluster(kubeconfig);
    if (found !== undefined) return found;
    throw new Fault(cliFaults.usage, `the kubeconfig of cluster ${name} contains a token, so kubectl needs no other token`);
  }
};

/** Returns the API version that kubectl requested. kubectl rejects an ExecCredential of any other version. */
function findApiVersion(info: string | undefined): string {
  const [, version = "v1beta1"] = /"apiVersion"\s*:\s*"client\.authentication\.k8s\.io\/(v1|v1beta1)"/.exec(info ?? "") ?? [];
  return `client.authentication.k8s.io/${version}`;
}
