import { getKind } from "@cloudwright/contract/kinds";
import { addExamples, onServer, type Configure } from "../command-context.ts";
import { resourceOf } from "../entities.ts";
import { chooseCluster } from "../existing/choose-cluster.ts";
import { discover } from "../existing/discover.ts";
import { addMetadataFlags, readMetadata } from "../flags/metadata-flags.ts";
import { conclude } from "../operations/conclude.ts";
import { addWaitFlags } from "../operations/wait.ts";

/** `cloud k8s import NAME --account A`: observes a cluster that already exists. Changes nothing in the cloud. */
export const configureImport: Configure = (command, context) => {
  command.argument("<name>", "name of the new entity; without --id, also the name of the cluster in the cloud");
  command.requiredOption("--account <name>", "account that contains the cluster");
  command.option("--region <region>", "region of the cluster (default: search all regions)");
  command.option("--id <id>", "the cluster's name or id in the cloud, such as an ARN");
  addMetadataFlags(command);
  addWaitFlags(command, "the cluster is RUNNING");
  addExamples(
    command,
    "cloud k8s import shop --account prod --wait",
    "cloud k8s import shop --account prod --region eu-west-1 --id Shop_Cluster",
  );
  onServer(command, context, async (session, args, flags) => {
    const [name = ""] = args;
    const account = flags["account"] as string;
    const { clusters } = await discover(session, { account, region: flags["region"] as string | undefined }, flags);
    const { id = "", region = "" } = chooseCluster(clusters, (flags["id"] as string | undefined) ?? name, {
      account,
      how: "with --id",
    });
    const kind = getKind("Cluster");
    const entity = { metadata: { name, ...readMetadata(flags) }, spec: { existing: { account, id, region } } };
    let accepted: string | undefined;
    const stored = await resourceOf(session, kind).create(entity, {
      signal: session.world.signal,
      onAccepted: (operation) => void (accepted = operation),
    });
    await conclude(session, { item: { kind, entity: stored }, accepted, done: "imported" }, flags);
  });
};
