import { projectOf, type Json, type Method } from "@cloudwright/contract";
import { Fault } from "@cloudwright/platform";
import { insertAudit } from "@cloudwright/store";
import type { Answer } from "./answer.ts";
import { isHiddenDenial, type Call } from "./authorise.ts";
import type { ApiDeps } from "../deps.ts";
import { apiFaults } from "../faults.ts";
import { getAt } from "../entities/json-tree.ts";
import { attachVolume, detachVolume } from "../methods/attach-volume.ts";
import { cancelOperation } from "../methods/cancel-operation.ts";
import { createEntity, type CreateInput } from "../methods/create-entity.ts";
import { discoverClusters } from "../methods/discover-clusters.ts";
import { deleteEntity, type DeleteInput } from "../methods/delete-entity.ts";
import { manageImages } from "../methods/manage-images.ts";
import { getDiscoveredKubeconfig } from "../methods/get-discovered-kubeconfig.ts";
import { getEntity } from "../methods/get-entity.ts";
import { getInstanceLog } from "../methods/get-instance-log.ts";
import { getKubeconfig } from "../methods/get-kubeconfig.ts";
import { createJoinToken } from "../methods/create-join-token.ts";
import { finishWork } from "../methods/finish-work.ts";
import { getDriftMethod, listDriftsMethod } from "../methods/read-drifts.ts";
import { getRunMethod, getRunPlan, listRunsMethod } from "../methods/read-runs.ts";
import { judgeRun } from "../methods/judge-run.ts";
import { checkDrift } from "../methods/check-drift.ts";
import { acceptDrift, correctDrift } from "../methods/settle-drift.ts";
import { createToken, listPermissions, whoAmI } from "../methods/identity.ts";
import { getTimeline } from "../methods/get-timeline.ts";
import { openCredentials } from "../methods/open-credentials.ts";
import { openInstance } from "../methods/open-instance.ts";
import { openSshKey } from "../methods/open-ssh-key.ts";
import { openStateMethod } from "../methods/open-state.ts";
import { joinAgent } from "../methods/join-agent.ts";
import { keepToken } from "../methods/keep-token.ts";
import { leaseWork } from "../methods/lease-work.ts";
import { listBackendUsesMethod } from "../methods/list-backend-uses.ts";
import { listEntitiesMethod, type ListInput } from "../methods/list-entities.ts";
import { listRecordsMethod } from "../methods/list-records.ts";
import { pauseEntity } from "../methods/pause-entity.ts";
import { releaseCluster } from "../methods/release-cluster.ts";
import { retryOperation } from "../methods/retry-operation.ts";
import { getTaskMethod, listTaskLogs, listTasksMethod } from "../methods/read-tasks.ts";
import { getStateContent, getStateDiff, getStateMethod, listStatesMethod, listVersions } from "../methods/read-states.ts";
import { renewWork } from "../methods/renew-work.ts";
import { listStateResources, repairState } from "../methods/repair-state.ts";
import { rollbackState } from "../methods/rollback-state.ts";
import { rotateApiKey } from "../methods/rotate-api-key.ts";
import { rotateSshKey } from "../methods/rotate-ssh-key.ts";
import { unlockState } from "../methods/unlock-state.ts";
import { preflightEntity } from "../methods/preflight-entity.ts";
import { previewCluster } from "../methods/preview-cluster.ts";
import { upgradeCluster } from "../methods/upgrade-cluster.ts";
import { updateEntityMethod, type UpdateInput } from "../methods/update-entity.ts";
import { simulatorMethods } from "../simulator/methods.ts";
import { auditOf } from "./trace-call.ts";

/** The combined input of all methods. Each method reads only its own fields. */
export interface MethodInput extends CreateInput, UpdateInput, DeleteInput, ListInput {
  readonly audience: string;
  readonly ttlSeconds: number;
  readonly singleUse: boolean;
}

type Handler = (deps: ApiDeps, call: Call, method: Method, input: MethodInput) => Promise<Answer>;

const byVerb: Readonly<Record<string, Handler>> = {
  create: createEntity,
  get: getEntity,
  list: listEntitiesMethod,
  update: updateEntityMethod,
  delete: deleteEntity,
  preflight: preflightEntity,
  pause: pauseEntity,
  resume: pauseEntity,
  rotate: rotateApiKey,
  cancel: cancelOperation,
  retry: retryOperation,
};

/** Handlers for kinds that are not stored as entities. */
const byKind: Readonly<Record<string, Handler>> = {
  Identity: whoAmI,
  Permission: listPermissions,
  Token: createToken,
  Event: listRecordsMethod,
  AuditRecord: listRecordsMethod,
};

/** Handlers for individual methods. Handlers of agent methods receive the request message unchanged. */
const byMethod: Readonly<Record<string, Handler>> = {
  "Cluster preview": previewCluster,
  "Cluster upgrade": takeMessage(upgradeCluster),
  "Cluster release": releaseCluster,
  "Account discover": takeMessage(discoverClusters),
  "Account images": takeMessage(manageImages),
  "Account kubeconfig": takeMessage(getDiscoveredKubeconfig),
  "JoinToken create": createJoinToken,
  "Cluster kubeconfig": takeMessage(getKubeconfig),
  "Instance ssh": openInstance,
  "SshKey private": openSshKey,
  "SshKey rotate": rotateSshKey,
  "Volume attach": takeMessage(attachVolume),
  "Volume detach": takeMessage(detachVolume),
  "Instance log": getInstanceLog,
  "Task get": getTaskMethod,
  "Task list": listTasksMethod,
  "TaskLog list": listTaskLogs,
  "Timeline get": getTimeline,
  "State list": listStatesMethod,
  "State get": getStateMethod,
  "StateVersion list": listVersions,
  "StateContent get": getStateContent,
  "StateDiff get": getStateDiff,
  "Run list": listRunsMethod,
  "Run get": getRunMethod,
  "RunPlan get": getRunPlan,
  "Run approve": judgeRun,
  "Run discard": judgeRun,
  "Drift list": listDriftsMethod,
  "Drift get": getDriftMethod,
  "Drift check": checkDrift,
  "Drift accept": acceptDrift,
  "Drift correct": correctDrift,
  "State rollback": takeMessage(rollbackState),
  "State unlock": takeMessage(unlockState),
  "State adopt": takeMessage(repairState),
  "State forget": takeMessage(repairState),
  "StateResource list": listStateResources,
  "BackendUse list": listBackendUsesMethod,
  "JoinToken join": takeMessage(joinAgent),
  "Work lease": takeMessage(leaseWork),
  "Work renew": takeMessage(renewWork),
  "Work finish": takeMessage(finishWork),
  "Work open": takeMessage(openStateMethod),
  "Work exchange": takeMessage(openCredentials),
  "Work keep": takeMessage(keepToken),
  ...Object.fromEntries(Object.entries(simulatorMethods).map(([name, handler]) => [name, takeMessage(handler)])),
};

function takeMessage<Request>(
  handler: (deps: ApiDeps, call: Call, method: Method, request: Request) => Promise<Answer>,
): Handler {
  return (deps, call, method, input) => handler(deps, call, method, input as unknown as Request);
}

const empty: MethodInput = {
  project: "",
  parent: "",
  name: "",
  entity: null,
  dryRun: false,
  idempotencyKey: undefined,
  sent: null,
  change: (current): Json => current,
  precondition: "",
  allowMissing: false,
  allow: [],
  cascade: false,
  force: false,
  resourceVersion: "",
  labelSelector: "",
  filter: "",
  orderBy: "",
  pageSize: 0,
  pageToken: "",
  audience: "",
  ttlSeconds: 0,
  singleUse: false,
};

/** Runs a method. Every endpoint uses this function, so all denials and failed changes are audited. */
export async function invoke(deps: ApiDeps, call: Call, method: Method, given: Partial<MethodInput>): Promise<Answer> {
  const input = { ...empty, ...given };
  const handler = byMethod[`${method.kind} ${method.verb}`] ?? byKind[method.kind] ?? byVerb[method.verb];
  if (handler === undefined) throw new Error(`no implementation of ${method.id}`);
  try {
    return await handler(deps, call, method, input);
  } catch (error) {
    await recordFailure(deps, call, method, input, error);
    throw error;
  }
}

const reading = new Set(["get", "list", "watch"]);

export async function recordFailure(
  deps: Pick<ApiDeps, "pool" | "clock" | "log">,
  call: Call,
  method: Method,
  input: { readonly project: string; readonly name?: string; readonly entity?: Json; readonly dryRun?: boolean },
  error: unknown,
): Promise<void> {
  const fault = error instanceof Fault ? error : new Fault(apiFaults.internal, "unexpected error");
  if (call.caller === undefined || fault.kind === "unavailable") return;
  const denial = fault.kind === "denied" || isHiddenDenial(fault);
  if (!denial && (reading.has(method.verb) || input.dryRun === true)) return;
  const project = projectOf({ kind: method.kind, name: input.name ?? "", project: input.project });
  const target = { project, name: input.name || readName(input.entity ?? null), uid: null };
  try {
    await insertAudit(deps.pool, auditOf(deps, call, method, target, denial ? "denied" : "failed", fault.code));
  } catch (cause) {
    deps.log.error({ err: cause, requestId: call.requestId }, "could not write an audit record");
  }
}

/**
 * Returns the name in a create request, or "" if it is not a valid name. The name may be invalid, because requests that fail validation are
 * audited too.
 */
function readName(entity: Json): string {
  const name = getAt(entity, ["metadata", "name"]);
  return typeof name === "string" && /^[-a-z0-9]{1,63}$/.test(name) ? name : "";
}
