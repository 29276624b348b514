import { Fault } from "@cloudwright/platform";
import { deployerFaults } from "../faults.ts";
import type { StateAccess } from "../task.ts";
import { callEndpoint, unexpectedAnswer } from "./state-endpoint.ts";
import type { DescribedPlan } from "./describe-plan.ts";

/** A plan in the form that the control plane accepts from every executor. */
export interface PlanDelivery extends DescribedPlan {
  /** The serial of the state that the plan was made for. 0 if there was none. */
  readonly serial: number;
  readonly lineage: string;
  /** The saved plan. It contains secrets. */
  readonly parcel: Buffer;
}

/** Stores a plan at the control plane under the uid of the task that made it. */
export async function deliverPlan(
  endpoint: StateAccess,
  planUid: string,
  plan: PlanDelivery,
  signal: AbortSignal,
): Promise<void> {
  const body = JSON.stringify({ ...plan, parcel: plan.parcel.toString("base64") });
  const address = addressOf(endpoint, planUid);
  const answer = await callEndpoint(endpoint, { method: "PUT", address, body, type: "application/json", signal });
  if (answer.status === 204) return;
  if (answer.status === 413) {
    throw new Fault(deployerFaults.plan_too_large, `the control plane rejects the plan: ${body.length} bytes are too many`);
  }
  throw unexpectedAnswer("PUT of a plan", answer.status);
}

/**
 * Takes a saved plan for an apply. The control plane hands a plan out only once, because a process that died since may have applied a part of it. If
 * the response is lost, so is the plan.
 */
export async function takePlan(endpoint: StateAccess, planUid: string, signal: AbortSignal): Promise<Buffer> {
  const answer = await callEndpoint(endpoint, { method: "GET", address: addressOf(endpoint, planUid), signal });
  if (answer.status === 404 || answer.status === 410) {
    throw new Fault(deployerFaults.plan_gone, `the plan ${planUid} was started before or is no longer valid`);
  }
  if (answer.status === 409) throw new Fault(deployerFaults.plan_not_approved, `the plan ${planUid} is waiting for approval`);
  if (answer.status !== 200) throw unexpectedAnswer("GET of a plan", answer.status);
  return answer.bytes;
}

function addressOf(endpoint: StateAccess, planUid: string): string {
  return `${endpoint.address}/plans/${encodeURIComponent(planUid)}`;
}
