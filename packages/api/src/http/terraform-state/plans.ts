import { hasAction } from "@cloudwright/contract";
import { Fault, isUid } from "@cloudwright/platform";
import { findLineage, findPlanStanding, keepPlan, takePlan, type PlanStanding, type StateRun } from "@cloudwright/store";
import type { FastifyRequest } from "fastify";
import type { ApiDeps } from "../../deps.ts";
import { apiFaults } from "../../faults.ts";
import type { JudgedEntity } from "../../entities/judge.ts";
import { placeEntity } from "../../entities/place-entity.ts";
import { judgeDrift } from "../../runs/judge-drift.ts";
import { markUnfinished } from "../../runs/mark-unfinished.ts";
import { needsApproval } from "../../runs/needs-approval.ts";
import { openContent, sealContent } from "../../states/state-content.ts";
import { parseEntity } from "../../calls/trace-call.ts";
import { readCredential } from "./admit-run.ts";

/** A run that may store a plan. `allow` lists the risky actions that its operation permits. */
export interface PlanningRun {
  readonly run: StateRun;
  readonly allow: readonly string[];
}

/** Throws unless the run belongs to a planning task and stores its own plan. */
export async function admitPlanning(deps: Pick<ApiDeps, "pool">, run: StateRun, planUid: string): Promise<PlanningRun> {
  const standing = await findPlanStanding(deps.pool, run.taskUid, run.taskUid);
  if (planUid !== run.taskUid || standing === undefined || !hasAction(standing.type, "plan"))
    throw new Fault(apiFaults.plan_refused, `task ${run.taskUid} may not store the plan "${planUid}"`);
  return { run, allow: standing.allow ?? [] };
}

/** Stores a plan with its policy findings. Returns false if the run may no longer store it. */
export async function keepRunPlan(
  deps: ApiDeps,
  request: FastifyRequest,
  { run, allow }: PlanningRun,
  { body, ttlMs, maxDetailBytes }: { readonly body: Buffer; readonly ttlMs: number; readonly maxDetailBytes: number },
): Promise<boolean> {
  const credential = readCredential(request);
  if (credential === undefined) return false;
  const uid = run.taskUid;
  const sent = await deps.documents.parsePlan(run.state.project, body, maxDetailBytes);
  const placed = await findPlaced(deps, run);
  const drifted = await judgeDrift(deps, uid, placed.spec, sent, allow);
  const judged = await deps.judge.plan(placed, await markUnfinished(deps, run, sent.judged), allow, sent.upgradedFrom);
  const findings = [...judged, ...drifted.findings];
  return keepPlan(deps.pool, credential, {
    uid,
    serial: sent.serial,
    lineage: sent.lineage,
    counts: JSON.stringify({ ...sent.counts, ...drifted.counts }),
    // The parser has already rendered the largest parts as JSON text.
    changes: `{"changes":${sent.changesText},"drift":${drifted.driftText},"dependencies":${sent.dependenciesText}}`,
    findings: JSON.stringify(findings.map(({ rule, severity, message, path, fix }) => ({ rule, severity, message, path, fix }))),
    needsApproval: needsApproval(placed.spec, sent, findings),
    ttlMs,
    size: sent.parcel.length,
    ...(await sealContent(deps.keyRing, uid, sent.parcel)),
  });
}

/** Returns the entity that the plan belongs to. For a deleted entity, only the kind and the name are known. */
async function findPlaced({ pool }: ApiDeps, { state }: StateRun): Promise<JudgedEntity> {
  const [own, ...above] = await findLineage(pool, state.entityUid);
  if (own !== undefined) return placeEntity(own.kind, parseEntity(own.object), above);
  return { kind: state.kind, metadata: { name: state.name, project: state.project }, spec: {}, parents: [] };
}

/** Returns a plan to the run that was created to apply it. Each plan is returned only once. */
export async function handOutPlan(deps: ApiDeps, request: FastifyRequest, run: StateRun, planUid: string): Promise<Buffer> {
  const credential = readCredential(request);
  const taken = credential && isUid(planUid) ? await takePlan(deps.pool, credential, planUid) : undefined;
  const parcel = taken && (await openContent(deps.keyRing, taken));
  if (parcel !== undefined) return parcel;
  throw explainRejection(run, planUid, isUid(planUid) ? await findPlanStanding(deps.pool, run.taskUid, planUid) : undefined);
}

function explainRejection({ taskUid }: StateRun, planUid: string, standing: PlanStanding | undefined): Fault {
  if (standing?.named !== planUid)
    return new Fault(apiFaults.plan_refused, `task ${taskUid} may not apply the plan "${planUid}"`);
  if (standing.isOpen && standing.isApproved !== true)
    return new Fault(apiFaults.plan_not_approved, `the plan ${planUid} requires approval before it is applied`);
  return new Fault(apiFaults.plan_gone, `the plan ${planUid} was already used, was discarded or has been deleted`);
}
