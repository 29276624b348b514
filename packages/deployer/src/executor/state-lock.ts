import { createUid, systemClock } from "@cloudwright/platform";
import type { StateAccess } from "../task.ts";
import { callEndpoint, unexpectedAnswer, type EndpointAnswer } from "./state-endpoint.ts";

/** Locks the entity's state and returns the lock id. Throws if the state is already locked. */
export async function lockState(endpoint: StateAccess, operation: string): Promise<string> {
  const { id, answer } = await requestLock(endpoint, operation);
  if (answer.status !== 200) throw unexpectedAnswer("LOCK", answer.status);
  return id;
}

export async function unlockState(endpoint: StateAccess, lockId: string): Promise<void> {
  const answer = await callEndpoint(endpoint, {
    method: "UNLOCK",
    address: endpoint.unlockAddress,
    body: JSON.stringify({ ID: lockId }),
  });
  if (answer.status !== 200) throw unexpectedAnswer("UNLOCK", answer.status);
}

/**
 * Releases a lock that a killed process left behind. Only the lease holder can lock the state, so any existing lock belongs to an earlier
 * attempt under the same lease. The lock id comes from the endpoint's conflict response.
 */
export async function releaseOwnLock(endpoint: StateAccess): Promise<void> {
  const { id, answer } = await requestLock(endpoint, "resume");
  if (answer.status === 200) return unlockState(endpoint, id);
  if (answer.status !== 423) throw unexpectedAnswer("LOCK", answer.status);
  const { ID: held } = JSON.parse(answer.bytes.toString() || "{}") as { ID?: unknown };
  if (typeof held !== "string") throw unexpectedAnswer("LOCK", answer.status);
  return unlockState(endpoint, held);
}

/** Returns the latest state, or undefined if there is none. */
export async function readState(endpoint: StateAccess): Promise<string | undefined> {
  const answer = await callEndpoint(endpoint, { method: "GET", address: endpoint.address });
  if (answer.status === 204 || answer.status === 404) return undefined;
  if (answer.status !== 200) throw unexpectedAnswer("GET", answer.status);
  return answer.bytes.toString();
}

/** Sends a lock request in the format of Terraform's `http` backend. */
async function requestLock(
  endpoint: StateAccess,
  operation: string,
): Promise<{ readonly id: string; readonly answer: EndpointAnswer }> {
  const id = createUid(systemClock.now());
  const created = new Date(systemClock.now()).toISOString();
  const info = { ID: id, Operation: operation, Info: "", Who: "agent", Version: "", Created: created, Path: "" };
  const answer = await callEndpoint(endpoint, { method: "LOCK", address: endpoint.lockAddress, body: JSON.stringify(info) });
  return { id, answer };
}
