import { Fault } from "@cloudwright/platform";
import { setTimeout } from "node:timers/promises";
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
  /** Pause that the endpoint requests before the next attempt, from the Retry-After header. */
  readonly retryAfterMs?: number;
}

/** Sends a request to the state endpoint with the task's credentials. Throws `deployer.state_door` if no complete response arrives, and the signal's reason if the caller cancels. */
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
    const seconds = Number(answer.headers.get("retry-after") ?? Number.NaN);
    const retry = Number.isFinite(seconds) && seconds >= 0 ? { retryAfterMs: seconds * 1000 } : {};
    return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()), ...retry };
  } catch (cause) {
    signal?.throwIfAborted();
    throw new Fault(deployerFaults.state_door, `${method} ${address} received no response`, { cause });
  }
}

const mostTries = 20;
/** Default pause after a response with status 429. */
const busyWaitMs = 2000;
const longestWaitMs = 30_000;

/**
 * Sends a state or a plan. The control plane responds with 429 while it is handling too many uploads from this agent or project. In that
 * case, the upload is retried after the pause that the response specifies.
 */
export async function uploadToEndpoint(endpoint: StateAccess, request: EndpointRequest): Promise<EndpointAnswer> {
  for (let tries = 1; ; tries += 1) {
    const answer = await callEndpoint(endpoint, request);
    if (answer.status !== 429 || tries === mostTries) return answer;
    const waitMs = Math.min(longestWaitMs, answer.retryAfterMs ?? busyWaitMs);
    await setTimeout(waitMs, undefined, request.signal === undefined ? {} : { signal: request.signal });
  }
}

/** Returns the fault for an unexpected response status. */
export function unexpectedAnswer(method: string, status: number): Fault {
  return new Fault(deployerFaults.state_door, `the state endpoint returned status ${status} for ${method}`);
}
