import { createUid } from "@cloudwright/platform";
import type { Change, Problem } from "../provider/definition.ts";

/** Why AWS refuses: its own code and words. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
  /** 400 unless said. */
  readonly status?: number;
  /** The attribute it is about. */
  readonly path?: readonly (string | number)[];
}

/** What was asked of AWS: `creating EC2 Subnet`, by the call `CreateSubnet`. */
export interface AskedOf {
  readonly service: string;
  readonly noun: string;
  readonly call: string;
  readonly operation: Change["operation"] | "reading";
  readonly label?: string;
}

const gerunds = { create: "creating", update: "updating", delete: "deleting", reading: "reading" } as const;

/** A refusal in the sentence that the real provider makes of it, so that whoever looks for codes finds them where they are. */
export function describeRefusal({ service, noun, call, operation, label }: AskedOf, refusal: Refusal, nowMs: number): Problem {
  const { code, message, status = 400, path } = refusal;
  // Exceptions that a service declares are named without the two words.
  const name = code.endsWith("Exception") || service === "IAM" ? code : `api error ${code}`;
  const about = label === undefined || label === "" ? "" : ` (${label})`;
  return {
    summary: `${gerunds[operation]} ${service} ${noun}${about}: operation error ${service}: ${call}, https response error StatusCode: ${status}, RequestID: ${createUid(nowMs)}, ${name}: ${message}`,
    ...(path === undefined ? {} : { path }),
  };
}
