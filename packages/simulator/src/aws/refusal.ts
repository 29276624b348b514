import { createUid } from "@cloudwright/platform";
import type { Change, Problem } from "../provider/definition.ts";

/** The error code and message with which AWS rejects a call. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
  /** The HTTP status. Default: 400. */
  readonly status?: number;
  /** The attribute that caused the error. */
  readonly path?: readonly (string | number)[];
}

/** The names of a rejected call: `creating EC2 Subnet` in the provider's wording, `CreateSubnet` in the API. */
export interface RejectedCall {
  readonly service: string;
  readonly noun: string;
  readonly call: string;
  readonly operation: Change["operation"] | "reading";
  readonly label?: string;
}

const gerunds = { create: "creating", update: "updating", delete: "deleting", reading: "reading" } as const;

/** Renders an error in the real provider's wording, so that tools that parse provider output find the error code. */
export function describeRefusal(
  { service, noun, call, operation, label }: RejectedCall,
  refusal: Refusal,
  nowMs: number,
): Problem {
  const { code, message, status = 400, path } = refusal;
  // The provider omits the words "api error" for exceptions that a service declares.
  const name = code.endsWith("Exception") || service === "IAM" ? code : `api error ${code}`;
  const about = label === undefined || label === "" ? "" : ` (${label})`;
  return {
    summary: `${gerunds[operation]} ${service} ${noun}${about}: operation error ${service}: ${call}, https response error StatusCode: ${status}, RequestID: ${createUid(nowMs)}, ${name}: ${message}`,
    ...(path === undefined ? {} : { path }),
    refusal: { code, message, status },
  };
}
