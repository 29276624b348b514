import { Fault } from "@cloudwright/platform";
import { deployerFaults } from "../faults.ts";
import type { StateAccess } from "../task.ts";

/** What is asked of the door, and with what. */
export interface DoorRequest {
  readonly method: string;
  readonly address: string;
  readonly body?: string;
  readonly type?: string;
  readonly signal?: AbortSignal;
}

/** What the door answers, read to its end. */
export interface DoorAnswer {
  readonly status: number;
  readonly bytes: Buffer;
}

/** Asks the state door in the run's name; no answer, or one that breaks off, is a fault that is tried again. */
export async function askDoor(door: StateAccess, request: DoorRequest): Promise<DoorAnswer> {
  const { method, address, body, type, signal } = request;
  const authorization = `Basic ${Buffer.from(`${door.username}:${door.password.reveal()}`).toString("base64")}`;
  try {
    const answer = await fetch(address, {
      method,
      headers: { authorization, ...(type === undefined ? {} : { "content-type": type }) },
      ...(body === undefined ? {} : { body }),
      ...(signal === undefined ? {} : { signal }),
    });
    return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()) };
  } catch (cause) {
    throw new Fault(deployerFaults.state_door, `${method} ${address} got no answer`, { cause });
  }
}

/** The fault of an answer that a door does not give. */
export function unexpectedAnswer(method: string, status: number): Fault {
  return new Fault(deployerFaults.state_door, `the state door answers ${method} with ${status}`);
}
