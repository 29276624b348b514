import { cloudNames, getCloud } from "@cloudwright/contract/clouds";
import { getKind, type Kind } from "@cloudwright/contract/kinds";
import { InvalidArgumentError, Option } from "commander";
import { homedir } from "node:os";
import { join } from "node:path";
import { Fault } from "@cloudwright/platform/fault";
import { addExamples, onServer, type Configure, type FlagValues } from "../command-context.ts";
import type { Session } from "../connection/session.ts";
import { parseDuration } from "../duration.ts";
import { cliFaults } from "../faults.ts";
import { parseName, parseReferences, requireVerb, type Named, type Reference } from "../references.ts";

/** Cloud CLIs that print cluster tokens. */
const programs = cloudNames.flatMap((name) => getCloud(name).kubeconfig?.command ?? []);

/** `cloud k8s kubeconfig ID`: writes the kubeconfig to a file, or to standard output without any other text. */
export const configureKubeconfig: Configure = (command, context) => {
  const { kind, world } = context;
  command.argument("<name...>", "name or uid of the cluster; with --account, its name or id in the cloud");
  command.option("--account <name>", "search this account for the cluster, which need not be imported");
  command.option("--region <region>", "region to search (default: all regions); only with --account");
  command.addOption(
    new Option("--role <role>", "role in the cluster (default: the highest role that you have)").choices(["admin", "viewer"]),
  );
  command.option("--for <duration>", "lifetime, from 10m to 24h (default: 1h)", (text) => {
    const seconds = (parseDuration(text) ?? 0) / 1000;
    if (seconds < 600 || seconds > 86_400) throw new InvalidArgumentError("Use a duration from 10m to 24h.");
    return Math.floor(seconds);
  });
  const own = `let kubectl fetch short-lived tokens with your own cloud identity, using ${programs.join(" or ")} or this CLI; not available for simulated clusters`;
  command.addOption(new Option("--exec <command>", own).choices([...programs, "cloud"]).conflicts("for"));
  command.option("--merge", "merge the kubeconfig into ~/.kube/config (or the file given with --file) and select its context");
  command.option("--file <path>", "write the kubeconfig to a file with mode 0600");
  addExamples(
    command,
    "cloud k8s kubeconfig dev-cluster > kubeconfig.yaml",
    "cloud k8s kubeconfig dev-cluster --role viewer --file kubeconfig.yaml",
    "cloud k8s kubeconfig dev-cluster --role viewer --for 8h --merge",
    `cloud k8s kubeconfig dev-cluster --exec ${programs[0] ?? "cloud"} --merge`,
    "cloud k8s kubeconfig shop --account prod --region eu-west-1 --file kubeconfig.yaml",
  );
  onServer(command, context, async (session, args, flags) => {
    const { output } = session;
    const role = flags["role"] as "admin" | "viewer" | undefined;
    const [ttlSeconds, exec] = [flags["for"] as number | undefined, flags["exec"] as string | undefined];
    const options = { role, ttlSeconds, exec: exec !== undefined, signal: world.signal };
    const name = flags["account"] === undefined ? readCluster(kind, args, flags).name : (args.at(-1) ?? "");
    const { kubeconfig: given = "", expiresAt = "" } = await fetchKubeconfig(session, name, args, flags, options);
    const kubeconfig = exec === undefined ? given : await (await import("../kubeconfig-exec.ts")).useExec(given, exec);
    const [path, merge] = [flags["file"] as string | undefined, flags["merge"] === true];
    if (expiresAt !== "") output.note(`the kubeconfig expires at ${expiresAt}`);
    if (path === undefined && !merge) return output.line(kubeconfig.trimEnd());
    const { keepKubeconfig } = await import("../keep-kubeconfig.ts");
    const file = path ?? join(world.environment["HOME"] ?? homedir(), ".kube", "config");
    await keepKubeconfig(file, kubeconfig, merge);
    output.done(`kubeconfig of cluster ${name} written to ${file}`);
  });
};

type Options = NonNullable<Parameters<Session["client"]["clusters"]["kubeconfig"]>[2]>;

async function fetchKubeconfig(session: Session, name: string, args: readonly string[], flags: FlagValues, options: Options) {
  const { client, project } = session;
  const account = flags["account"] as string | undefined;
  if (account === undefined) return client.clusters.kubeconfig(project, name, options);
  if (args.length !== 1) throw new Fault(cliFaults.usage, "specify exactly one cluster with --account");
  const { discover, findEntityName } = await import("../existing/discover.ts");
  const { chooseCluster } = await import("../existing/choose-cluster.ts");
  const { operation, clusters } = await discover(session, { account, region: flags["region"] as string | undefined }, flags);
  const chosen = chooseCluster(clusters, name, { account, how: "by its id" });
  const entity = findEntityName(chosen);
  // If an entity represents the cluster, the user's role in the entity's environment determines the access.
  if (entity !== undefined) return client.clusters.kubeconfig(project, entity, options);
  return client.accounts.kubeconfig(project, account, { ...options, discovery: operation, cluster: chosen.id ?? "" });
}

function readCluster(kind: Kind | undefined, args: readonly string[], flags: FlagValues): Reference {
  if (flags["region"] !== undefined) throw new Fault(cliFaults.usage, "--region requires --account");
  if (kind === undefined && args.length === 1) return parseName(getKind("Cluster"), args[0] as string);
  const [named] = parseReferences(kind, args);
  requireVerb((named as Named).kind, "kubeconfig");
  return (named as Named).references[0] as Reference;
}
