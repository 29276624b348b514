import type { ApiCall, ApiOperation } from "../../../api/api-service.ts";
import type { Operation } from "../../../api/operations.ts";
import { refuse } from "../errors.ts";
import { clusterType, inLocation, locationPath, nameOperation, parameterOf, poolType } from "./gke-records.ts";

/** API methods for long-running operations. */
export const operationOperations: readonly ApiOperation[] = [
  ...inLocation({
    name: "operations.get",
    method: "GET",
    path: "/operations/{operation}",
    isZonal: true,
    async run(call) {
      const name = parameterOf(call, "operation");
      const found = listHere(call).find((operation) => nameOperation(operation) === name);
      if (found !== undefined) return renderOperation(call, found);
      return refuse({ code: "notFound", message: `Not found: ${locationPath(call)}/operations/${name}.`, status: 404 });
    },
  }),
  ...inLocation({
    name: "operations.list",
    method: "GET",
    path: "/operations",
    isZonal: true,
    async run(call) {
      const operations = listHere(call).map((operation) => renderOperation(call, operation));
      return operations.length === 0 ? {} : { operations };
    },
  }),
  ...inLocation({
    name: "operations.cancel",
    method: "POST",
    path: "/operations/{operation}:cancel",
    async run() {
      return refuse({ code: "failedPrecondition", message: "This operation cannot be cancelled.", status: 400 });
    },
  }),
];

function listHere(call: ApiCall): readonly Operation[] {
  const project = `projects/${parameterOf(call, "project")}/locations/`;
  const prefix = parameterOf(call, "location") === "-" ? project : `${locationPath(call)}/`;
  return call.operations
    .list()
    .filter(({ target }) => (target.type === clusterType || target.type === poolType) && target.id.startsWith(prefix));
}

/** Renders an operation. */
export function renderOperation({ operations }: ApiCall, operation: Operation): Record<string, unknown> {
  const [, project = "", , location = ""] = operation.target.id.split("/");
  const isPending = operations.isPending(operation);
  const root = "https://container.googleapis.com/v1";
  return {
    name: nameOperation(operation),
    zone: location,
    location,
    operationType: operation.name,
    status: isPending ? "RUNNING" : "DONE",
    selfLink: `${root}/projects/${project}/locations/${location}/operations/${nameOperation(operation)}`,
    targetLink: `${root}/${operation.target.id}`,
    startTime: toTime(operation.startedMs),
    ...(isPending ? {} : { endTime: toTime(operation.doneMs) }),
  };
}

/** Renders a time with the nine decimals that GKE uses. */
export function toTime(ms: number): string {
  return new Date(ms).toISOString().replace("Z", "000000Z");
}
