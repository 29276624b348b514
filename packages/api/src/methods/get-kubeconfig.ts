import { cloudOf, defaultCloud, findAccount, findCloud, findNetwork, type JsonObject, type Method } from "@cloudwright/contract";
import type { GetKubeconfigRequest } from "@cloudwright/contract/gen/cloudwright/v1/cluster_pb.ts";
import { Fault, Secret } from "@cloudwright/platform";
import {
  findLineage,
  findOutputs,
  findSimulatedClusterAt,
  findSimulatedClusterByName,
  insertAudit,
  type EntityRow,
  type SimulatedClusterRow,
} from "@cloudwright/store";
import { obtainClusterToken } from "../access/obtain-cluster-token.ts";
import { renderExecKubeconfig, renderTokenKubeconfig } from "../access/render-kubeconfig.ts";
import { chooseTtl, openSimulated, type Access } from "../access/simulated-access.ts";
import type { BuiltCluster, TokenRequest } from "../access/render-token-task.ts";
import type { Answer } from "../calls/answer.ts";
import { denied, includes, reachOf, requireCaller, type Call } from "../calls/authorise.ts";
import type { ApiDeps } from "../deps.ts";
import { apiFaults } from "../faults.ts";
import { textAt } from "../entities/json-tree.ts";
import { isForeign } from "../entities/refuse-not-created-here.ts";
import { requireEntity, resolveTarget } from "../entities/target.ts";
import { auditOf, parseEntity } from "../calls/trace-call.ts";

/**
 * Returns a kubeconfig for a cluster and writes an audit record. Viewers get read access, and callers who may change the cluster get
 * full access.
 */
export async function getKubeconfig(
  deps: ApiDeps,
  call: Call,
  method: Method,
  input: Pick<GetKubeconfigRequest, "project" | "name" | "role" | "ttlSeconds" | "exec">,
): Promise<Answer> {
  const target = await resolveTarget(deps, call, method, { project: input.project, parent: "" });
  const row = await requireEntity(deps, call, target, input.name);
  const asked = { role: chooseRole(call, method, row, input.role), ttlSeconds: chooseTtl(deps, call, input.ttlSeconds) };
  const { kubeconfig, expiresAt } = await openAccess(deps, call, row, asked, input.exec);
  const { project, name, uid } = row;
  await insertAudit(deps.pool, auditOf(deps, call, method, { project, name, uid }, "allowed", ""));
  const until = expiresAt === undefined ? {} : { expiresAt: expiresAt.toISOString() };
  return { body: JSON.stringify({ kubeconfig: kubeconfig.reveal(), ...until }), secret: true };
}

function chooseRole(call: Call, method: Method, { project, environment }: EntityRow, asked: string): TokenRequest["role"] {
  if (asked === "viewer") return "viewer";
  const reach = reachOf(requireCaller(call), project, "editor");
  if (reach !== undefined && includes(reach, environment)) return "admin";
  if (asked === "admin") throw denied({ ...method, role: "editor", verb: "admin kubeconfig for" }, `in project "${project}"`);
  return "viewer";
}

async function openAccess(deps: ApiDeps, call: Call, row: EntityRow, asked: TokenRequest, exec: boolean): Promise<Access> {
  const cluster = await readCluster(deps, row);
  const { outputs } = cluster;
  const name = textAt(outputs, "cluster_name");
  const account = findAccount(cluster.parents);
  if (account?.entity.spec["simulated"] === true) {
    if (exec) throw new Fault(apiFaults.no_exec, `cluster "${row.name}" is simulated, so no cloud identity has access to it`);
    const simulated = await findSimulated(deps, account.uid, row, name);
    if (simulated === undefined) throw notReady(row);
    return openSimulated(deps, call, simulated, { ...asked, entityUid: row.uid });
  }
  const [endpoint, caData] = [textAt(outputs, "endpoint"), textAt(outputs, "certificate_authority")];
  if (endpoint === "") throw notReady(row);
  const place = { context: row.name, endpoint, caData };
  // The platform's tokens require a service account in the cluster, but the platform creates nothing in clusters that it did not create.
  if (exec || isForeign(row)) {
    const region =
      textAt(parseEntity(row.object).spec, "existing", "region") ||
      textAt(findNetwork(cluster.parents)?.entity.spec ?? {}, "region");
    const program = findCloud(cloudOf(account?.entity.spec ?? {}) ?? defaultCloud)?.kubeconfig;
    if (program === undefined)
      throw new Fault(apiFaults.no_exec, `the cloud of cluster "${row.name}" has no command-line tool for tokens`);
    return { kubeconfig: new Secret(renderExecKubeconfig(place, program, { cluster: name, region })) };
  }
  const given = await obtainClusterToken(deps, call, cluster, asked);
  if (given === undefined) throw notReady(row);
  return {
    kubeconfig: new Secret(renderTokenKubeconfig(place, asked.role, given.token.reveal())),
    expiresAt: given.expiresAt,
  };
}

/**
 * Finds the simulated cluster of an entity. Imported clusters in different regions can have the same name, so they are looked up by region
 * and name.
 */
async function findSimulated(
  { pool }: ApiDeps,
  accountUid: string,
  row: EntityRow,
  name: string,
): Promise<SimulatedClusterRow | undefined> {
  const region = textAt(parseEntity(row.object).spec, "existing", "region");
  if (region === "") return findSimulatedClusterByName(pool, accountUid, name);
  return findSimulatedClusterAt(pool, { accountUid, region, name });
}

async function readCluster(deps: ApiDeps, row: EntityRow): Promise<BuiltCluster> {
  const outputs = (row.deleted_at === null ? ((await findOutputs(deps.pool, row.uid)) ?? {}) : {}) as JsonObject;
  if (textAt(outputs, "cluster_name") === "") throw notReady(row);
  const [, ...above] = await findLineage(deps.pool, row.uid);
  return { row, outputs, parents: above.map(({ kind, uid, object }) => ({ kind, uid, entity: parseEntity(object) })) };
}

function notReady({ name, object }: EntityRow): Fault {
  const phase = textAt(parseEntity(object).status, "phase") || "PENDING";
  return new Fault(apiFaults.cluster_not_ready, `Cluster "${name}" has no kubeconfig while it is ${phase}`);
}
