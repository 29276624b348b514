import { createUid, systemClock } from "@cloudwright/platform";
import type { StateAccess } from "../task.ts";
import { callEndpoint, unexpectedAnswer, type EndpointAnswer } from "./state-endpoint.ts";

/** Locks the entity's state and returns the id of the lock. Throws if the state is locked. */
export async function lockState(endpoint: StateAccess, operation: string): Promise<string> {
  const { id, answer } = await requestLock(endpoint, operation);
  if (answer.status !== 200) throw unexpectedAnswer("LOCK", answer.status);
  return id;
}

/** Releases a lock by its id. */
export async function unlockState(endpoint: StateAccess, lockId: string): Promise<void> {
  const answer = await callEndpoint(endpoint, {
    method: "UNLOCK",
    address: endpoint.unlockAddress,
    body: JSON.stringify({ ID: lockId }),
  });
  if (answer.status !== 200) throw unexpectedAnswer("UNLOCK", answer.status);
}

/**
 * Releases the lock of a killed predecessor. Only the holder of the lease can lock the state, so a lock that exists now belongs to an earlier
 * attempt with the same lease. The endpoint names the holder when it rejects another lock.
 */
export async function releaseOwnLock(endpoint: StateAccess): Promise<void> {
  const { id, answer } = await requestLock(endpoint, "resume");
  if (answer.status === 200) return unlockState(endpoint, id);
  if (answer.status !== 423) throw unexpectedAnswer("LOCK", answer.status);
  const { ID: held } = JSON.parse(answer.bytes.toString() || "{}") as { ID?: unknown };
  if (typeof held !== "string") throw unexpectedAnswer("LOCK", answer.status);
  return unlockState(endpoint, held);
}

/** Returns the newest state, or undefined if there is none. */
export async function readState(endpoint: StateAccess): Promise<string | undefined> {
  const answer = await callEndpoint(endpoint, { method: "GET", address: endpoint.address });
  if (answer.status === 204 || answer.status === 404) return undefined;
  if (answer.status !== 200) throw unexpectedAnswer("GET", answer.status);
  return answer.bytes.toString();
}

/** Requests a lock in the format of Terraform's `http` backend. */
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
