import { Fault } from "@cloudwright/platform";
import { deployerFaults } from "../faults.ts";
import type { StateAccess } from "../task.ts";
import { askDoor, unexpectedAnswer } from "./state-endpoint.ts";
import type { DescribedPlan } from "./describe-plan.ts";

/** A plan as it is given to the control plane. */
export interface PlanDelivery extends DescribedPlan {
  /** Of the state that it was made on; 0 where there was none. */
  readonly serial: number;
  readonly lineage: string;
  /** What is needed to apply exactly it; it holds secrets. */
  readonly parcel: Buffer;
}

/** Gives a plan to the control plane under the uid of the task that made it. */
export async function deliverPlan(door: StateAccess, planUid: string, plan: PlanDelivery, signal: AbortSignal): Promise<void> {
  const body = JSON.stringify({ ...plan, parcel: plan.parcel.toString("base64") });
  const answer = await askDoor(door, {
    method: "PUT",
    address: addressOf(door, planUid),
    body,
    type: "application/json",
    signal,
  });
  if (answer.status === 204) return;
  if (answer.status === 413)
    throw new Fault(deployerFaults.plan_too_large, `the plan's ${body.length} bytes are more than is taken`);
  throw unexpectedAnswer("PUT of a plan", answer.status);
}

/**
 * Takes a plan to apply it. It is handed out once: an answer that is lost on its way is lost with the plan, and somebody who has died since may
 * have begun it.
 */
export async function takePlan(door: StateAccess, planUid: string, signal: AbortSignal): Promise<Buffer> {
  const answer = await askDoor(door, { method: "GET", address: addressOf(door, planUid), signal });
  if (answer.status === 404 || answer.status === 410) {
    throw new Fault(deployerFaults.plan_gone, `the plan ${planUid} was begun before, or is not to be applied any more`);
  }
  if (answer.status === 409) throw new Fault(deployerFaults.plan_not_approved, `the plan ${planUid} waits for an approval`);
  if (answer.status !== 200) throw unexpectedAnswer("GET of a plan", answer.status);
  return answer.bytes;
}

function addressOf(door: StateAccess, planUid: string): string {
  return `${door.address}/plans/${encodeURIComponent(planUid)}`;
}
