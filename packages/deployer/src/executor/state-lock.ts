import { createUid, systemClock } from "@cloudwright/platform";
import type { StateAccess } from "../task.ts";
import { askDoor, unexpectedAnswer } from "./state-endpoint.ts";

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
  const answer = await askDoor(door, { method: "LOCK", address: door.lockAddress, body: JSON.stringify(info) });
  if (answer.status === 200) return unlock(door, own);
  if (answer.status !== 423) throw unexpectedAnswer("LOCK", answer.status);
  const { ID: held } = JSON.parse(answer.bytes.toString() || "{}") as { ID?: unknown };
  if (typeof held !== "string") throw unexpectedAnswer("LOCK", answer.status);
  return unlock(door, held);
}

/** The newest state as the door has it; undefined when there is none. */
export async function readState(door: StateAccess): Promise<string | undefined> {
  const answer = await askDoor(door, { method: "GET", address: door.address });
  if (answer.status === 204 || answer.status === 404) return undefined;
  if (answer.status !== 200) throw unexpectedAnswer("GET", answer.status);
  return answer.bytes.toString();
}

async function unlock(door: StateAccess, lockId: string): Promise<void> {
  const answer = await askDoor(door, { method: "UNLOCK", address: door.unlockAddress, body: JSON.stringify({ ID: lockId }) });
  if (answer.status !== 200) throw unexpectedAnswer("UNLOCK", answer.status);
}
