import { randomBytes } from "node:crypto";
import type { Clock } from "@cloudwright/platform";
import type { ApiRefusal } from "../provider/definition.ts";
import type { SimulatedFault, SimulatedFaults } from "../simulated-faults/simulated-fault.ts";
import { ApiError } from "./api-error.ts";
import type { ApiOperation, ApiReply } from "./api-service.ts";

/** Thrown to close the connection without a reply. */
export class DropConnection extends Error {}

/** A reply whose connection breaks after the first half of the body. */
export interface BrokenReply extends ApiReply {
  readonly isBroken?: boolean;
}

/** Finds the simulated fault for a request. A fault applies either to an API operation or to a resource type. */
export async function takeFault(
  faults: SimulatedFaults,
  tenant: string,
  { name, touches }: ApiOperation,
): Promise<SimulatedFault | undefined> {
  const named = await faults.take({ tenant, operation: "call", type: name });
  if (named !== undefined || touches === undefined) return named;
  return faults.take({ tenant, operation: touches.operation, type: touches.type });
}

/**
 * Simulates the part of a fault that precedes the operation. Throws if the operation must not run. A read that hangs is never answered. A
 * change that hangs stays in progress forever.
 */
export async function simulateBefore(
  fault: SimulatedFault,
  operation: ApiOperation,
  { clock, gone }: { readonly clock: Clock; readonly gone: AbortSignal },
): Promise<void> {
  switch (fault.kind) {
    case "crash":
      throw new DropConnection();
    case "hang":
      if (!isEndless(fault, operation)) {
        await new Promise<void>((resolve) => {
          if (gone.aborted) resolve();
          gone.addEventListener("abort", () => resolve(), { once: true });
        });
        throw new DropConnection();
      }
      return;
    case "slow":
      return clock.sleep(fault.delayMs, gone).catch(() => undefined);
    case "error":
      if (fault.afterEffect !== true) throw new ApiError(toRefusal(fault));
      return;
    case "rubbish":
    case "lost_reply":
    case "truncated":
    case "echo_secrets":
      return;
  }
}

/** Returns whether a fault keeps a change in progress forever. */
export function isEndless(fault: SimulatedFault | undefined, { touches }: ApiOperation): boolean {
  return fault?.kind === "hang" && touches !== undefined && touches.operation !== "read";
}

/** Simulates the part of a fault that follows the operation. Throws if the client must not get the reply. */
export function simulateAfter(fault: SimulatedFault, reply: ApiReply): BrokenReply {
  switch (fault.kind) {
    case "lost_reply":
      throw new DropConnection();
    case "error":
      throw new ApiError(toRefusal(fault));
    case "rubbish":
      return { ...reply, body: randomBytes(64) };
    case "truncated":
      return { ...reply, isBroken: true };
    case "crash":
    case "hang":
    case "slow":
    case "echo_secrets":
      return reply;
  }
}

function toRefusal({ message, httpStatus }: Extract<SimulatedFault, { readonly kind: "error" }>): ApiRefusal {
  const { code, text } = /^(?<code>[A-Za-z][\w.]*): (?<text>.*)$/s.exec(message)?.groups ?? {};
  const status = httpStatus ?? (code === undefined ? 500 : undefined);
  return { code: code ?? "", message: text ?? message, ...(status === undefined ? {} : { status }) };
}
