import type { JsonObject, Operation } from "@cloudwright/contract";
import type { GetKubeconfigRequest } from "@cloudwright/contract/gen/cloudwright/v1/cluster_pb.ts";
import { Fault, Secret } from "@cloudwright/platform";
import { findLineage, findOutputs, findSimulatedClusterByName, insertAudit, type EntityRow } from "@cloudwright/store";
import type { Answer } from "../answer.ts";
import { denied, includes, reachOf, requireCaller, type Call } from "../caller.ts";
import type { ApiDeps } from "../deps.ts";
import { apiFaults } from "../faults.ts";
import { getAt, textAt } from "../json-tree.ts";
import { requireEntity, resolveTarget } from "../target.ts";
import { auditOf, parseEntity } from "../trace-call.ts";
import { printAwsKubeconfig } from "../print-aws-kubeconfig.ts";

type Role = "admin" | "viewer";

/** Gives a kubeconfig for a cluster: viewers of the project look into it, those who may change the cluster may do anything in it. On record. */
export async function getKubeconfig(
  deps: ApiDeps,
  call: Call,
  operation: Operation,
  input: Pick<GetKubeconfigRequest, "project" | "name" | "role">,
): Promise<Answer> {
  const target = await resolveTarget(deps, call, operation, { project: input.project, parent: "" });
  const row = await requireEntity(deps, call, target, input.name);
  const role = chooseRole(call, operation, row, input.role);
  const kubeconfig = await renderKubeconfig(deps, row, role);
  const { project, name, uid } = row;
  await insertAudit(deps.pool, auditOf(deps, call, operation, { project, name, uid }, "allowed", ""));
  return { body: JSON.stringify({ kubeconfig: kubeconfig.reveal() }), secret: true };
}

function chooseRole(call: Call, operation: Operation, { project, environment }: EntityRow, asked: string): Role {
  if (asked === "viewer") return "viewer";
  const reach = reachOf(requireCaller(call), project, "editor");
  if (reach !== undefined && includes(reach, environment)) return "admin";
  if (asked === "admin")
    throw denied({ ...operation, role: "editor", verb: "kubeconfig of role admin of" }, `in project "${project}"`);
  return "viewer";
}

async function renderKubeconfig(deps: ApiDeps, row: EntityRow, role: Role): Promise<Secret> {
  const outputs = (row.deleted_at === null ? ((await findOutputs(deps.pool, row.uid)) ?? {}) : {}) as JsonObject;
  const cloudName = textAt(outputs, "cluster_name");
  if (cloudName === "") throw notReady(row);
  const lineage = (await findLineage(deps.pool, row.uid)).map(({ kind, uid, object }) => ({
    kind,
    uid,
    spec: parseEntity(object).spec,
  }));
  const account = lineage.find(({ kind }) => kind === "Account");
  if (getAt(account?.spec ?? {}, ["simulated"]) === true) {
    const cluster = await findSimulatedClusterByName(deps.pool, account?.uid ?? "", cloudName);
    if (cluster === undefined) throw notReady(row);
    if (deps.simulatedKubernetes === undefined)
      throw new Fault(apiFaults.clusters_not_served, "nobody serves simulated clusters here");
    return (await deps.simulatedKubernetes.open(cluster)).kubeconfigFor(role);
  }
  const region = textAt(lineage.find(({ kind }) => kind === "Network")?.spec ?? {}, "region");
  const [endpoint, caData] = [textAt(outputs, "endpoint"), textAt(outputs, "certificate_authority")];
  if (endpoint === "") throw notReady(row);
  return new Secret(printAwsKubeconfig({ context: row.name, name: cloudName, region, endpoint, caData }));
}

function notReady({ name, object }: EntityRow): Fault {
  const phase = textAt(parseEntity(object).status, "phase") || "PENDING";
  return new Fault(apiFaults.cluster_not_ready, `Cluster "${name}" gives no access: it is ${phase}`);
}
