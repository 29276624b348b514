import { Fault } from "@cloudwright/platform";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { apiFaults } from "../../faults.ts";

const methodNames = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "QUERY"];
const none: ReadonlySet<string> = new Set();

/**
 * Responds to unsupported methods on a known path with 405 and an Allow header, before reading the body. On paths with custom verbs,
 * `name:verb` supports only POST, which a separate route handles.
 */
export function rejectOtherMethods(app: FastifyInstance, url: string, methods: ReadonlySet<string>, verbs = none): void {
  const others = methodNames.filter(
    (method) => !withHead(methods).has(method) && !(method === "POST" && verbs.size > 0) && app.supportedMethods.includes(method),
  );
  const reject = async (request: FastifyRequest, reply: FastifyReply): Promise<never> => {
    const [, verb] = splitName(request);
    throw rejectMethod(request, reply, verb !== undefined && verbs.has(verb) ? new Set(["POST"]) : methods);
  };
  app.route({ method: others, url, onRequest: reject, handler: reject });
}

/** Creates the fault for an unsupported method and sets the Allow header. */
export function rejectMethod(request: FastifyRequest, reply: FastifyReply, methods: ReadonlySet<string>): Fault {
  void reply.header("allow", [...withHead(methods)].join(", "));
  return new Fault(apiFaults.method_not_allowed, `${request.method} is not supported at ${request.url.split("?")[0]}`);
}

/** Splits the last path segment into a name and an optional custom verb. Names cannot contain a colon. */
export function splitName(request: FastifyRequest): [name: string, verb: string | undefined] {
  const name = (request.params as Readonly<Record<string, string>>)["name"] ?? "";
  const colon = name.lastIndexOf(":");
  return colon === -1 ? [name, undefined] : [name.slice(0, colon), name.slice(colon + 1)];
}

function withHead(methods: ReadonlySet<string>): ReadonlySet<string> {
  return methods.has("GET") ? new Set([...methods, "HEAD"]) : methods;
}
