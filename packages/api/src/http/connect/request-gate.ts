import { methods, type Method } from "@cloudwright/contract";
import { Code, ConnectError, createContextKey, type ContextValues, type HandlerContext } from "@connectrpc/connect";
import type { DescMethod } from "@bufbuild/protobuf";
import { requireCaller, type Call } from "../../calls/authorise.ts";
import type { ApiDeps } from "../../deps.ts";
import { asConnectError } from "./errors.ts";

const key = createContextKey<Call>({ caller: undefined, source: "", requestId: "" });
const byDescriptor: ReadonlyMap<DescMethod, Method> = new Map(methods.map((method) => [method.descriptor, method]));

/**
 * Creates the function that Connect calls before it reads a request body. The function authenticates the caller, so that an
 * unauthenticated caller cannot make the server parse anything. Health checks and reflection need no credentials.
 */
export function createRequestGate(
  deps: Pick<ApiDeps, "log"> & { authenticateContext(context: HandlerContext): Promise<Call> },
): (context: HandlerContext) => Promise<void> {
  return async (context) => {
    context.signal.addEventListener("abort", () => blameCaller(context.signal.reason));
    const method = byDescriptor.get(context.method);
    if (method === undefined) return;
    try {
      const call = await deps.authenticateContext(context);
      if (method.role !== "public") requireCaller(call);
      context.values.set(key, call);
    } catch (error) {
      throw asConnectError(deps, context, error);
    }
  };
}

/** Returns the call that the gate has authenticated. */
export function readCall(context: HandlerContext): Call {
  return context.values.get(key);
}

/** Returns the call that the gate has authenticated for a request. */
export function callOf({ contextValues }: { readonly contextValues?: ContextValues }): Call {
  return contextValues?.get(key) ?? key.defaultValue;
}

/**
 * Connect reports an internal server error when it cannot parse a message. It aborts the call with that error before it renders the
 * response, so this function can still correct the error code.
 */
function blameCaller(reason: unknown): void {
  if (!(reason instanceof ConnectError) || reason.code !== Code.Internal || !/^parse (binary|json)/i.test(reason.rawMessage))
    return;
  Object.assign(reason, { code: Code.InvalidArgument });
}
