import { cloudOf, defaultCloud, findCloud, type Method } from "@cloudwright/contract";
import type { GetDiscoveredKubeconfigRequest } from "@cloudwright/contract/gen/cloudwright/v1/account_pb.ts";
import type { DiscoveredClusterJson } from "@cloudwright/contract/gen/cloudwright/v1/operation_pb.ts";
import { Fault, isUid, Secret } from "@cloudwright/platform";
import { findEntity, findImporter, findSimulatedClusterAt, insertAudit, type EntityRow } from "@cloudwright/store";
import { renderExecKubeconfig } from "../access/render-kubeconfig.ts";
import { chooseTtl, openSimulated, type Access } from "../access/simulated-access.ts";
import type { Answer } from "../calls/answer.ts";
import type { Call } from "../calls/authorise.ts";
import { auditOf, parseEntity } from "../calls/trace-call.ts";
import type { ApiDeps } from "../deps.ts";
import { textAt } from "../entities/json-tree.ts";
import { notFound, requireEntity, resolveTarget } from "../entities/target.ts";
import { apiFaults } from "../faults.ts";

type Input = Pick<GetDiscoveredKubeconfigRequest, "project" | "name" | "discovery" | "cluster" | "role" | "ttlSeconds" | "exec">;

/** A discovered cluster whose location in the cloud is known. */
type Discovered = Required<Pick<DiscoveredClusterJson, "id" | "name" | "region" | "endpoint" | "certificateAuthority">>;

/**
 * Returns a kubeconfig for a cluster that a discovery found and that no entity represents, and writes an audit record. The connection details
 * come from the discovery's result and not from the caller.
 */
export async function getDiscoveredKubeconfig(deps: ApiDeps, call: Call, method: Method, input: Input): Promise<Answer> {
  const target = await resolveTarget(deps, call, method, { project: input.project, parent: "" });
  const account = await requireEntity(deps, call, target, input.name);
  if (account.deleted_at !== null) throw new Fault(apiFaults.being_deleted, `${account.kind} "${account.name}" is being deleted`);
  const cluster = await readDiscovered(deps, account, input);
  const { kubeconfig, expiresAt } = await openAccess(deps, call, account, cluster, input);
  const { project, uid } = account;
  const name = `${account.name}/${cluster.name}`;
  await insertAudit(deps.pool, auditOf(deps, call, method, { project, name, uid }, "allowed", ""));
  const until = expiresAt === undefined ? {} : { expiresAt: expiresAt.toISOString() };
  return { body: JSON.stringify({ kubeconfig: kubeconfig.reveal(), ...until }), secret: true };
}

async function readDiscovered({ pool }: ApiDeps, account: EntityRow, { discovery, cluster: id }: Input): Promise<Discovered> {
  const { project } = account;
  const row = await findEntity(pool, { kind: "Operation", project, namingScope: "", ref: discovery });
  if (row === undefined) throw notFound("Operation", discovery);
  const { spec, status } = parseEntity(row.object);
  if (textAt(spec, "verb") !== "discover" || textAt(spec, "entityUid") !== account.uid) throw notFound("Operation", discovery);
  if (textAt(status, "state") !== "DONE") {
    const message = `the discovery "${row.name}" has no result while it is ${textAt(status, "state") || "WAITING"}`;
    throw new Fault(apiFaults.cluster_not_ready, message);
  }
  const found = ((status["clusters"] ?? []) as readonly DiscoveredClusterJson[]).find(
    (each) => each.id?.toLowerCase() === id.toLowerCase(),
  );
  if (found === undefined) throw notFound("discovered cluster", id);
  const { name = "", region = "", endpoint = "", certificateAuthority = "", ownerUid = "" } = found;
  if (await isRepresented(pool, account, { id, ownerUid })) {
    const message = `an entity represents the cluster "${name}" of account "${account.name}"`;
    throw new Fault(apiFaults.has_entity, message);
  }
  if (endpoint === "")
    throw new Fault(apiFaults.cluster_not_ready, `the cluster "${name}" has no endpoint while it is ${found.state ?? "unknown"}`);
  return { id, name, region, endpoint, certificateAuthority };
}

/**
 * Returns whether an entity represents the cluster. If so, access to the cluster depends on the entity's environment, which this method
 * does not check.
 */
async function isRepresented(
  pool: ApiDeps["pool"],
  { uid, project }: EntityRow,
  { id, ownerUid }: { readonly id: string; readonly ownerUid: string },
): Promise<boolean> {
  if ((await findImporter(pool, uid, id)) !== undefined) return true;
  if (!isUid(ownerUid)) return false;
  return (await findEntity(pool, { kind: "Cluster", project, namingScope: "", ref: ownerUid })) !== undefined;
}

async function openAccess(
  deps: ApiDeps,
  call: Call,
  account: EntityRow,
  { name, region, endpoint, certificateAuthority }: Discovered,
  { role, ttlSeconds, exec }: Input,
): Promise<Access> {
  const { spec } = parseEntity(account.object);
  if (spec["simulated"] === true) {
    if (exec) throw new Fault(apiFaults.no_exec, `cluster "${name}" is simulated, so no cloud identity has access to it`);
    const asked = { role: role === "viewer" ? "viewer" : "admin", ttlSeconds: chooseTtl(deps, call, ttlSeconds) } as const;
    const cluster = await findSimulatedClusterAt(deps.pool, { accountUid: account.uid, region, name });
    if (cluster === undefined) throw new Fault(apiFaults.cluster_not_ready, `the cluster "${name}" no longer exists`);
    return openSimulated(deps, call, cluster, { ...asked, entityUid: account.uid });
  }
  const program = findCloud(cloudOf(spec) ?? defaultCloud)?.kubeconfig;
  if (program === undefined)
    throw new Fault(apiFaults.no_exec, `the cloud of account "${account.name}" has no command-line tool for tokens`);
  const place = { context: name, endpoint, caData: certificateAuthority };
  return { kubeconfig: new Secret(renderExecKubeconfig(place, program, { cluster: name, region })) };
}
