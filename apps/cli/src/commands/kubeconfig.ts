import { getKind, type Kind } from "@cloudwright/contract/kinds";
import { Fault } from "@cloudwright/platform/fault";
import { addExamples, onServer, type Configure } from "../command-context.ts";
import { getItem } from "../entities.ts";
import { cliFaults } from "../faults.ts";
import { renderPhase } from "../output/columns.ts";
import { parseName, parseReferences, requireVerb, type Named, type Reference } from "../references.ts";

/** `cloud k8s kubeconfig ID`: the kubeconfig and nothing else on standard output. No cluster gives access yet, so that it only says so. */
export const configureKubeconfig: Configure = (command, context) => {
  const { kind } = context;
  command.argument("<name...>", "name or uid of the cluster");
  addExamples(command, "cloud k8s kubeconfig dev-cluster > kubeconfig.yaml");
  onServer(command, context, async (session, args) => {
    const item = await getItem(session, readCluster(kind, args));
    const { name } = item.entity.metadata;
    throw new Fault(cliFaults.no_kubeconfig, `cluster ${name} gives no access yet: it is ${renderPhase(item) || "PENDING"}`);
  });
};

function readCluster(kind: Kind | undefined, args: readonly string[]): Reference {
  if (kind === undefined && args.length === 1) return parseName(getKind("Cluster"), args[0] as string);
  const [named] = parseReferences(kind, args);
  requireVerb((named as Named).kind, "kubeconfig");
  return (named as Named).references[0] as Reference;
}
