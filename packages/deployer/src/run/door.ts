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

/** Asks the state door in the run's name; no answer at all is a fault that is tried again. */
export async function askDoor(door: StateAccess, request: DoorRequest): Promise<Response> {
  const { method, address, body, type, signal } = request;
  const authorization = `Basic ${Buffer.from(`${door.username}:${door.password.reveal()}`).toString("base64")}`;
  try {
    return await fetch(address, {
      method,
      headers: { authorization, ...(type === undefined ? {} : { "content-type": type }) },
      ...(body === undefined ? {} : { body }),
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (cause) {
    throw new Fault(deployerFaults.state_door, `${method} ${address} got no answer`, { cause });
  }
}

/** The fault of an answer that a door does not give. */
export function unexpectedAnswer(method: string, status: number): Fault {
  return new Fault(deployerFaults.state_door, `the state door answers ${method} with ${status}`);
}
