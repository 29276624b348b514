import { Fault, type Logger } from "@cloudwright/platform";
import { apiFaults } from "../faults.ts";

/** Converts any thrown value to a fault. Unexpected errors are logged here, and the caller sees only the request id. */
export function toFault(error: unknown, log: Logger, requestId: string): Fault {
  if (error instanceof Fault) {
    if (error.kind === "internal") log.error({ err: error, requestId }, "request failed");
    return error;
  }
  if (error instanceof Error && "code" in error && error.code === "57014") {
    return new Fault(apiFaults.timeout, "the database did not respond in time", { cause: error });
  }
  log.error({ err: error, requestId }, "request failed unexpectedly");
  return new Fault(apiFaults.internal, `unexpected error; see the server's log for request ${requestId}`, { cause: error });
}

const titles: Readonly<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  409: "Conflict",
  410: "Gone",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  422: "Unprocessable Content",
  423: "Locked",
  431: "Request Header Fields Too Large",
  429: "Too Many Requests",
  500: "Internal Server Error",
  503: "Service Unavailable",
};

/** Renders a fault as RFC 9457 problem details. */
export function renderProblem(fault: Fault, requestId: string, instance: string): Record<string, unknown> {
  return {
    type: `/docs/errors#${fault.code}`,
    title: titles[fault.httpStatus] ?? fault.kind,
    status: fault.httpStatus,
    detail: fault.message,
    instance,
    code: fault.code,
    help: fault.help,
    retry: fault.retry,
    requestId,
    fields: fault.fields,
    ...fault.extra,
  };
}
