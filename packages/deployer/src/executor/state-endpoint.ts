import { Fault } from "@cloudwright/platform";
import { deployerFaults } from "../faults.ts";
import type { StateAccess } from "../task.ts";

export interface EndpointRequest {
  readonly method: string;
  readonly address: string;
  readonly body?: string;
  readonly type?: string;
  readonly signal?: AbortSignal;
}

export interface EndpointAnswer {
  readonly status: number;
  readonly bytes: Buffer;
}

/** Sends a request to the state endpoint with the task's credentials. Throws `deployer.state_door` if no complete response arrives. */
export async function callEndpoint(endpoint: StateAccess, request: EndpointRequest): Promise<EndpointAnswer> {
  const { method, address, body, type, signal } = request;
  const authorization = `Basic ${Buffer.from(`${endpoint.username}:${endpoint.password.reveal()}`).toString("base64")}`;
  try {
    const answer = await fetch(address, {
      method,
      headers: { authorization, ...(type === undefined ? {} : { "content-type": type }) },
      ...(body === undefined ? {} : { body }),
      ...(signal === undefined ? {} : { signal }),
    });
    return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()) };
  } catch (cause) {
    throw new Fault(deployerFaults.state_door, `${method} ${address} received no response`, { cause });
  }
}

/** Returns the fault for an unexpected response status. */
export function unexpectedAnswer(method: string, status: number): Fault {
  return new Fault(deployerFaults.state_door, `the state endpoint returned status ${status} for ${method}`);
}
