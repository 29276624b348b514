import { createUid, Fault, systemClock } from "@cloudwright/platform";
import { deployerFaults } from "../faults.ts";
import type { StateAccess } from "../task.ts";

/**
 * Gives back the lock that an earlier Terraform of the same lease holds: it was killed with its agent, and nobody else can have taken one. The
 * door tells whose it is when another is asked for.
 */
export async function releaseOwnLock(door: StateAccess): Promise<void> {
  const own = createUid(systemClock.now());
  const info = {
    ID: own,
    Operation: "resume",
    Info: "",
    Who: "agent",
    Version: "",
    Created: new Date(systemClock.now()).toISOString(),
    Path: "",
  };
  const answer = await send(door, "LOCK", door.lockAddress, JSON.stringify(info));
  if (answer.status === 200) return unlock(door, own);
  if (answer.status !== 423) throw unexpected("LOCK", answer.status);
  const { ID: held } = (await answer.json()) as { ID?: unknown };
  if (typeof held !== "string") throw unexpected("LOCK", answer.status);
  return unlock(door, held);
}

/** The newest state as the door has it; undefined when there is none. */
export async function readState(door: StateAccess): Promise<string | undefined> {
  const answer = await send(door, "GET", door.address);
  if (answer.status === 204 || answer.status === 404) return undefined;
  if (answer.status !== 200) throw unexpected("GET", answer.status);
  return answer.text();
}

async function unlock(door: StateAccess, lockId: string): Promise<void> {
  const answer = await send(door, "UNLOCK", door.unlockAddress, JSON.stringify({ ID: lockId }));
  if (answer.status !== 200) throw unexpected("UNLOCK", answer.status);
}

async function send(door: StateAccess, method: string, address: string, body?: string): Promise<Response> {
  const authorization = `Basic ${Buffer.from(`${door.username}:${door.password.reveal()}`).toString("base64")}`;
  try {
    return await fetch(address, { method, headers: { authorization }, ...(body === undefined ? {} : { body }) });
  } catch (cause) {
    throw new Fault(deployerFaults.state_door, `${method} ${address} got no answer`, { cause });
  }
}

function unexpected(method: string, status: number): Fault {
  return new Fault(deployerFaults.state_door, `the state door answers ${method} with ${status}`);
}
