import { cloudOf, defaultCloud, findAccount, findCloud, findNetwork, type JsonObject, type Method } from "@cloudwright/contract";
import type { GetKubeconfigRequest } from "@cloudwright/contract/gen/cloudwright/v1/cluster_pb.ts";
import { Fault, Secret } from "@cloudwright/platform";
import { findLineage, findOutputs, findSimulatedClusterByName, insertAudit, type EntityRow } from "@cloudwright/store";
import { obtainClusterToken } from "../access/obtain-cluster-token.ts";
import { renderExecKubeconfig, renderTokenKubeconfig } from "../access/render-kubeconfig.ts";
import type { BuiltCluster, TokenRequest } from "../access/render-token-task.ts";
import type { Answer } from "../calls/answer.ts";
import { denied, includes, reachOf, requireCaller, type Call } from "../calls/authorise.ts";
import { invalid } from "../calls/decode.ts";
import type { ApiDeps } from "../deps.ts";
import { apiFaults } from "../faults.ts";
import { textAt } from "../entities/json-tree.ts";
import { requireEntity, resolveTarget } from "../entities/target.ts";
import { auditOf, parseEntity } from "../calls/trace-call.ts";

/** A kubeconfig with its expiry. `expiresAt` is undefined if the kubeconfig contains no credential. */
interface Access {
  readonly kubeconfig: Secret;
  readonly expiresAt?: Date;
}

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

const usualTtlSeconds = 3600;
/** The shortest token lifetime that clusters accept. */
const leastTtlSeconds = 600;

/**
 * Chooses the lifetime of a kubeconfig. Rounding to whole minutes limits the number of cached tokens. The kubeconfig never outlives the
 * caller's API key.
 */
function chooseTtl({ clock }: Pick<ApiDeps, "clock">, call: Call, asked: number): number {
  if (asked !== 0 && asked < leastTtlSeconds)
    throw invalid("the request", [{ field: "ttlSeconds", message: `must be 0 or at least ${leastTtlSeconds}` }]);
  const { keyExpiresAtMs = Number.POSITIVE_INFINITY } = requireCaller(call);
  const seconds = Math.min(asked || usualTtlSeconds, (keyExpiresAtMs - clock.now()) / 1000);
  if (seconds >= leastTtlSeconds) return Math.floor(seconds / 60) * 60;
  throw new Fault(apiFaults.denied, "a kubeconfig must be valid for at least ten minutes, but your API key expires sooner");
}

async function openAccess(deps: ApiDeps, call: Call, row: EntityRow, asked: TokenRequest, exec: boolean): Promise<Access> {
  const cluster = await readCluster(deps, row);
  const { outputs } = cluster;
  const name = textAt(outputs, "cluster_name");
  const account = findAccount(cluster.parents);
  if (account?.entity.spec["simulated"] === true) return openSimulated(deps, call, row, { account: account.uid, name }, asked);
  const [endpoint, caData] = [textAt(outputs, "endpoint"), textAt(outputs, "certificate_authority")];
  if (endpoint === "") throw notReady(row);
  const place = { context: row.name, endpoint, caData };
  if (exec) {
    const region = textAt(findNetwork(cluster.parents)?.entity.spec ?? {}, "region");
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

/** Creates a kubeconfig for a simulated cluster. Its token is derived on demand and not stored. */
async function openSimulated(
  deps: ApiDeps,
  call: Call,
  row: EntityRow,
  { account, name }: { readonly account: string; readonly name: string },
  { role, ttlSeconds }: TokenRequest,
): Promise<Access> {
  const cluster = await findSimulatedClusterByName(deps.pool, account, name);
  if (cluster === undefined) throw notReady(row);
  if (deps.simulatedKubernetes === undefined)
    throw new Fault(apiFaults.clusters_not_served, "no replica serves simulated clusters");
  const expiresAt = new Date((Math.floor(deps.clock.now() / 1000) + ttlSeconds) * 1000);
  const { kubeconfigFor } = await deps.simulatedKubernetes.open(cluster);
  return { kubeconfig: kubeconfigFor(role, expiresAt, renderSource(call)), expiresAt };
}

/**
 * Returns the text that identifies the caller's API key in a kubeconfig. The kubeconfig becomes invalid when the key is revoked or rotated.
 */
function renderSource(call: Call): string | undefined {
  const { key } = requireCaller(call);
  return key && `${key.uid}~${key.prefix}`;
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
