import { Fault } from "@cloudwright/platform";
import { deployerFaults } from "../faults.ts";
import type { StateAccess } from "../task.ts";
import { callEndpoint, unexpectedAnswer, uploadToEndpoint } from "./state-endpoint.ts";
import type { DescribedPlan } from "./describe-plan.ts";

/** The request body for storing a plan on the control plane. */
export interface PlanDelivery extends DescribedPlan {
  /** Serial of the state that the plan is based on, or 0 if no state existed. */
  readonly serial: number;
  readonly lineage: string;
  /** The configuration version that the plan upgrades the entity from. Absent if the version stays the same. */
  readonly upgradedFrom?: string;
  /** The serialised plan. It contains secrets. */
  readonly parcel: Buffer;
}

/** Stores a plan on the control plane. `planUid` is the uid of the task that made the plan. */
export async function deliverPlan(
  endpoint: StateAccess,
  planUid: string,
  plan: PlanDelivery,
  signal: AbortSignal,
): Promise<void> {
  const body = JSON.stringify({ ...plan, parcel: plan.parcel.toString("base64") });
  const address = addressOf(endpoint, planUid);
  const answer = await uploadToEndpoint(endpoint, { method: "PUT", address, body, type: "application/json", signal });
  if (answer.status === 204) return;
  if (answer.status === 413) {
    throw new Fault(
      deployerFaults.plan_too_large,
      `the control plane rejected the plan because its size of ${body.length} bytes exceeds the limit`,
    );
  }
  throw unexpectedAnswer("PUT for a plan", answer.status);
}

/**
 * Takes a saved plan from the control plane, which returns each plan only once. A second process must not apply a plan that another one may
 * have applied in part. If the response is lost, a new plan is needed.
 */
export async function takePlan(endpoint: StateAccess, planUid: string, signal: AbortSignal): Promise<Buffer> {
  const answer = await callEndpoint(endpoint, { method: "GET", address: addressOf(endpoint, planUid), signal });
  if (answer.status === 404 || answer.status === 410) {
    throw new Fault(deployerFaults.plan_gone, `plan ${planUid} was already started or is no longer valid`);
  }
  if (answer.status === 409) throw new Fault(deployerFaults.plan_not_approved, `plan ${planUid} is waiting for approval`);
  if (answer.status !== 200) throw unexpectedAnswer("GET for a plan", answer.status);
  return answer.bytes;
}

function addressOf(endpoint: StateAccess, planUid: string): string {
  return `${endpoint.address}/plans/${encodeURIComponent(planUid)}`;
}
