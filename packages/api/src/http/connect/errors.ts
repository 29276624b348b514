import { create } from "@bufbuild/protobuf";
import {
  BadRequestSchema,
  ErrorInfoSchema,
  HelpSchema,
  RetryInfoSchema,
} from "@cloudwright/contract/gen/google/rpc/error_details_pb.ts";
import { grpcCodeOf, type Fault } from "@cloudwright/platform";
import { Code, ConnectError, type HandlerContext } from "@connectrpc/connect";
import type { ApiDeps } from "../../deps.ts";
import { toFault } from "../problem.ts";
import { readRequestContext } from "./request-context.ts";

/**
 * Converts a fault to a Connect or gRPC error. ErrorInfo carries the code and metadata, BadRequest the invalid fields, and Help the
 * next step.
 */
export function toConnectError(fault: Fault): ConnectError {
  const extra = Object.entries(fault.extra).map(([name, value]) => [name, String(value)]);
  const details = [
    {
      desc: ErrorInfoSchema,
      value: create(ErrorInfoSchema, {
        reason: fault.code,
        domain: "cloudwright",
        metadata: Object.fromEntries(extra) as Record<string, string>,
      }),
    },
    { desc: HelpSchema, value: create(HelpSchema, { links: [{ description: fault.help, url: `/docs/errors#${fault.code}` }] }) },
    ...(fault.fields.length === 0
      ? []
      : [
          {
            desc: BadRequestSchema,
            value: create(BadRequestSchema, {
              fieldViolations: fault.fields.map(({ field, message }) => ({ field, description: message })),
            }),
          },
        ]),
    ...(fault.retryAfterMs === undefined
      ? []
      : [
          {
            desc: RetryInfoSchema,
            value: create(RetryInfoSchema, { retryDelay: { seconds: BigInt(Math.ceil(fault.retryAfterMs / 1000)) } }),
          },
        ]),
  ];
  const error = new ConnectError(fault.message, grpcCodeOf(fault.kind).number);
  error.details.push(...details);
  return error;
}

/** Converts any thrown value to the Connect error that the caller receives. */
export function asConnectError(deps: Pick<ApiDeps, "log">, context: HandlerContext, error: unknown): ConnectError {
  if (error instanceof ConnectError) return error;
  if (context.signal.aborted) return new ConnectError("the caller has disconnected", Code.Canceled);
  return toConnectError(toFault(error, deps.log, readRequestContext(context).requestId));
}
