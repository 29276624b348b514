import type { ApiCall, ApiOperation } from "../../api/api-service.ts";
import type { Operation } from "../../api/operations.ts";
import { parameterOf, pauseFor, subscriptionPath } from "./arm-resources.ts";
import { refuse } from "./errors.ts";

/** Returns the operations that a service's clients use to wait until a change is complete. */
export function followOperations(namespace: string): readonly ApiOperation[] {
  const base = `/subscriptions/{subscriptionId}/providers/${namespace}/locations/{location}`;
  return [
    {
      name: "GetOperationStatus",
      match: { method: "GET", path: `${base}/operations/{operationId}` },
      async run(call) {
        const operation = getOperation(call);
        const isPending = call.operations.isPending(operation);
        const place = `${subscriptionPath(call)}/providers/${namespace}/locations/${parameterOf(call, "location")}`;
        return {
          ...(isPending ? { headers: { "retry-after": pauseFor(call, operation) } } : {}),
          content: {
            id: `${place}/operations/${operation.id}`,
            name: operation.id,
            status: isPending ? "InProgress" : "Succeeded",
            startTime: new Date(operation.startedMs).toISOString(),
            ...(isPending ? {} : { endTime: new Date(operation.doneMs).toISOString() }),
          },
        };
      },
    },
    {
      name: "GetOperationResult",
      match: { method: "GET", path: `${base}/operationResults/{operationId}` },
      async run(call) {
        const operation = getOperation(call);
        if (!call.operations.isPending(operation)) return { status: 204, content: undefined };
        const location = `${call.origin}${subscriptionPath(call)}/providers/${namespace}/locations/${parameterOf(call, "location")}/operationResults/${operation.id}?${call.query.toString()}`;
        return { status: 202, headers: { location, "retry-after": pauseFor(call, operation) }, content: undefined };
      },
    },
  ];
}

function getOperation(call: ApiCall): Operation {
  const id = parameterOf(call, "operationId");
  return call.operations.find(id) ?? refuse("NotFound", `The operation '${id.slice(0, 100)}' could not be found.`, 404);
}
