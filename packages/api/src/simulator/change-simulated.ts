import type { Json, Method } from "@cloudwright/contract";
import type {
  AdjustSimulatedCloudRequest,
  ClearSimulatedFaultsRequest,
  DriftSimulatedRecordRequest,
  FailSimulatedCallRequest,
} from "@cloudwright/contract/gen/cloudwright/v1/simulator_pb.ts";
import { createUid, Fault, isUid } from "@cloudwright/platform";
import {
  adjustSimulatedCloud,
  deleteSimulatedFaults,
  deleteSimulatedRecord,
  findSimulatedRecord,
  insertSimulatedFault,
  mostSimulatedFaults,
  resetSimulatedCloud,
  updateSimulatedRecord,
  type AuditWrite,
} from "@cloudwright/store";
import type { Answer } from "../calls/answer.ts";
import { requireCaller, type Call } from "../calls/authorise.ts";
import { invalid, requireKept } from "../calls/decode.ts";
import type { ApiDeps } from "../deps.ts";
import { mergePatch } from "../entities/json-tree.ts";
import { retryStale } from "../entities/retry-stale.ts";
import { notFound } from "../entities/target.ts";
import { auditOf } from "../calls/trace-call.ts";
import { noRecord, type RecordRef } from "./read-simulated.ts";
import { refuseTooLarge } from "./refuse-too-large.ts";
import { apiFaults } from "../faults.ts";
import { renderCloud, renderFault, renderRecord } from "./render-simulated.ts";
import { requireQuotas } from "./require-quotas.ts";
import { requireSimulated, type AccountRef, type SimulatedAccount } from "./require-simulated.ts";
import { makesClusters } from "./simulated-kubernetes.ts";

/** Changes a resource in a simulated cloud behind Terraform's back, which causes drift. */
export async function driftRecord(
  deps: ApiDeps,
  call: Call,
  method: Method,
  input: DriftSimulatedRecordRequest,
): Promise<Answer> {
  const account = await requireSimulated(deps, call, method, input);
  const change = (input.attributes ?? {}) as Json;
  requireKept(change, "the request");
  const key = { accountUid: account.uid, type: input.type, id: input.id };
  return retryStale(deps, `SimulatedRecord "${input.type}/${input.id}"`, async () => {
    const row = await findSimulatedRecord(deps.pool, key);
    if (row === undefined) throw noRecord(input);
    const to = JSON.stringify(mergePatch(JSON.parse(row.attributes) as Json, change));
    const audit = recordOf(deps, call, method, account);
    const written = await refuseTooLarge(() => updateSimulatedRecord(deps.pool, key, { from: row.attributes, to }, audit));
    if (written !== undefined) tellClusters(deps, input.type);
    return written && { body: JSON.stringify(renderRecord(written)) };
  });
}

/** Deletes a resource from a simulated cloud behind Terraform's back. */
export async function removeRecord(deps: ApiDeps, call: Call, method: Method, input: RecordRef): Promise<Answer> {
  const account = await requireSimulated(deps, call, method, input);
  const key = { accountUid: account.uid, type: input.type, id: input.id };
  const row = await deleteSimulatedRecord(deps.pool, key, recordOf(deps, call, method, account));
  if (row === undefined) throw noRecord(input);
  tellClusters(deps, input.type);
  return { body: JSON.stringify(renderRecord(row)) };
}

export async function resetCloud(deps: ApiDeps, call: Call, method: Method, input: AccountRef): Promise<Answer> {
  const account = await requireSimulated(deps, call, method, input);
  await resetSimulatedCloud(deps.pool, account.uid, recordOf(deps, call, method, account));
  deps.simulatedKubernetes?.notify();
  return renderCloud(deps, account);
}

/** Changes the behaviour of a simulated cloud, such as its speed or its quotas. */
export async function adjustCloud(
  deps: ApiDeps,
  call: Call,
  method: Method,
  input: AdjustSimulatedCloudRequest,
): Promise<Answer> {
  const account = await requireSimulated(deps, call, method, input);
  const { speed, lagMs, callsPerSecond, burst } = input;
  if (burst !== undefined && callsPerSecond === undefined)
    throw invalid("the request", [{ field: "burst", message: "requires callsPerSecond" }]);
  const conditions = {
    ...(speed === undefined ? {} : { timeScale: speed === 0 ? null : 1 / speed }),
    ...(lagMs === undefined ? {} : { lagMs }),
    ...(callsPerSecond === undefined
      ? {}
      : { throttle: callsPerSecond === 0 ? null : { perSecond: callsPerSecond, burst: burst ?? callsPerSecond } }),
  };
  await requireQuotas(deps, account, input.quotas);
  const quotas = Object.fromEntries(Object.entries(input.quotas).map(([name, most]) => [name, most < 0 ? null : most]));
  const audit = recordOf(deps, call, method, account);
  await refuseTooLarge(() => adjustSimulatedCloud(deps.pool, account.uid, { conditions, quotas }, audit));
  return renderCloud(deps, account);
}

export async function failCall(deps: ApiDeps, call: Call, method: Method, input: FailSimulatedCallRequest): Promise<Answer> {
  const account = await requireSimulated(deps, call, method, input);
  const { kind, message, delayMs, afterEffect, deaf, type, nth, times } = input;
  requireFitting(input);
  const mishap = {
    kind,
    ...(kind === "error" ? { message, ...(afterEffect ? { afterEffect } : {}) } : {}),
    ...(kind === "slow" ? { delayMs } : {}),
    ...(deaf ? { deaf } : {}),
  };
  const uid = createUid(deps.clock.now());
  const counted = { nth: nth || 1, times: times || 1 };
  const fault = { uid, operation: input.operation, type, ...counted, mishap, actor: requireCaller(call).user };
  const row = await insertSimulatedFault(deps.pool, account.uid, fault, recordOf(deps, call, method, account));
  if (row === undefined) {
    const refusal = `the account "${account.name}" already has ${mostSimulatedFaults} pending simulated faults; \`cloud sim faults --clear\` deletes them`;
    throw new Fault(apiFaults.simulation_too_large, refusal);
  }
  return { body: JSON.stringify(renderFault(row)) };
}

/** Checks the fields of a simulated fault. Each kind of fault has its own required and optional fields. */
function requireFitting({ kind, message, delayMs, afterEffect, deaf }: FailSimulatedCallRequest): void {
  const fields = [
    ...((kind === "error") === (message !== "")
      ? []
      : [{ field: "message", message: "is required for kind error and not allowed for others" }]),
    ...((kind === "slow") === delayMs > 0
      ? []
      : [{ field: "delayMs", message: "is required for kind slow and not allowed for others" }]),
    ...(afterEffect && kind !== "error" ? [{ field: "afterEffect", message: "is only allowed for kind error" }] : []),
    ...(deaf && kind !== "hang" ? [{ field: "deaf", message: "is only allowed for kind hang" }] : []),
  ];
  if (fields.length > 0) throw invalid("the request", fields);
}

/** Cancels one pending simulated fault, or all of them if no uid is given. */
export async function clearFaults(
  deps: ApiDeps,
  call: Call,
  method: Method,
  input: ClearSimulatedFaultsRequest,
): Promise<Answer> {
  const account = await requireSimulated(deps, call, method, input);
  const uid = input.uid === "" ? undefined : input.uid;
  if (uid !== undefined && !isUid(uid)) throw notFound("SimulatedFault", uid);
  const cleared = await deleteSimulatedFaults(deps.pool, account.uid, uid, recordOf(deps, call, method, account));
  if (uid !== undefined && cleared === 0) throw notFound("SimulatedFault", uid);
  return renderCloud(deps, account);
}

function tellClusters({ simulatedKubernetes }: ApiDeps, type: string): void {
  if (makesClusters(type)) simulatedKubernetes?.notify();
}

function recordOf(deps: ApiDeps, call: Call, method: Method, { project, name, uid }: SimulatedAccount): AuditWrite {
  return auditOf(deps, call, method, { project, name, uid }, "allowed", "");
}
