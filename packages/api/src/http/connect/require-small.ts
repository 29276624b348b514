import type { Method } from "@cloudwright/contract";
import { Fault } from "@cloudwright/platform";
import type { Answer } from "../../calls/answer.ts";
import { apiFaults } from "../../faults.ts";

/**
 * Size limit for a response. Encoding a response of this size blocks the server for about 50 ms. REST has no such limit, because it sends
 * the stored JSON unchanged.
 */
const maxAnswerBytes = 2 * 1024 * 1024;
/** A page of a list ends at this size. The client gets the rest with the next page. */
export const maxPageBytes = 256 * 1024;

/** Throws if the result of a read is too large for Connect and gRPC. The fault names the REST endpoint that returns it. */
export function requireSmall(method: Method, request: object, { body }: Answer): void {
  // The result of a change is always returned, because the change has already been made.
  if (body.length <= maxAnswerBytes || (method.verb !== "get" && method.verb !== "list")) return;
  const path = renderPath(method, request);
  const message = `the ${method.kind} takes ${body.length} bytes, but responses over Connect and gRPC are limited to ${maxAnswerBytes} bytes`;
  throw new Fault(apiFaults.response_too_large, path === undefined ? message : `${message}; send GET ${path} instead`);
}

function renderPath({ bindings }: Method, request: object): string | undefined {
  const template = bindings.find(({ method }) => method === "GET")?.path;
  const fields = request as Readonly<Record<string, unknown>>;
  return template?.replace(/\{(\w+)\}/g, (_, name: string) => {
    const key = name.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
    const value = fields[key];
    return encodeURIComponent(typeof value === "string" ? value : "");
  });
}
