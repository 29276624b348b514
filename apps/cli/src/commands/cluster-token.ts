import { getKind } from "@cloudwright/contract/kinds";
import { Fault } from "@cloudwright/platform/fault";
import { addCommonFlags } from "../common-flags.ts";
import { addExamples, type Configure } from "../command-context.ts";
import { openSession } from "../connection/session.ts";
import { cliFaults } from "../faults.ts";
import { findAwsCluster } from "../kubeconfig-exec.ts";
import { parseName } from "../references.ts";

/** `cloud k8s token`: prints an ExecCredential for kubectl, signed with the caller's own cloud credentials, and nothing else on standard output. */
export const configureClusterToken: Configure = (command, { world }) => {
  command.argument(
    "[name]",
    "name or uid of the cluster; not needed with --cluster-name and --region, which also work without a server",
  );
  command.option("--cluster-name <name>", "what AWS calls the cluster");
  command.option("--region <region>", "region of the cluster");
  addExamples(command, "cloud k8s token dev-cluster", "cloud k8s token --cluster-name dev-1a2b3c4d --region eu-west-1");
  addCommonFlags(command).action(async (name: string | undefined, flags: { clusterName?: string; region?: string }) => {
    const { clusterName: cluster, region } = flags;
    const request = cluster === undefined || region === undefined ? await lookUp(name) : { cluster, region };
    const { createOwnToken } = await import("@cloudwright/clouds/aws-token");
    const { token, expiresAt } = await createOwnToken(request);
    const status = { expirationTimestamp: expiresAt.toISOString().replace(/\.\d+Z$/, "Z"), token: token.reveal() };
    const apiVersion = findApiVersion(world.environment["KUBERNETES_EXEC_INFO"]);
    const credential = { apiVersion, kind: "ExecCredential", spec: {}, status };
    world.stdout.write(`${JSON.stringify(credential)}\n`);
  });

  async function lookUp(name: string | undefined): Promise<{ cluster: string; region: string }> {
    if (name === undefined)
      throw new Fault(cliFaults.usage, "a cluster is required: give its name, or --cluster-name and --region");
    const { client, project } = await openSession(world, command);
    const reference = parseName(getKind("Cluster"), name);
    const { kubeconfig = "" } = await client.clusters.kubeconfig(project, reference.name, { exec: true, signal: world.signal });
    const found = await findAwsCluster(kubeconfig);
    if (found !== undefined) return found;
    throw new Fault(cliFaults.usage, `cluster ${name} is not one of EKS: its kubeconfig has a token already`);
  }
};

/** Returns the API version that kubectl requested. kubectl accepts only the version in its kubeconfig. */
function findApiVersion(info: string | undefined): string {
  const [, version = "v1beta1"] = /"apiVersion"\s*:\s*"client\.authentication\.k8s\.io\/(v1|v1beta1)"/.exec(info ?? "") ?? [];
  return `client.authentication.k8s.io/${version}`;
}
