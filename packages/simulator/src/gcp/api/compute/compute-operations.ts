import type { ApiCall, ApiOperation } from "../../../api/api-service.ts";
import type { Operation } from "../../../api/operations.ts";
import { numericId } from "../../place.ts";
import { refuse } from "../errors.ts";
import { lastPart, linkOf, missing, operate, parameterOf, renderList, scopePath } from "./compute-records.ts";

const scopes = { zoneOperations: "/zones/{zone}", regionOperations: "/regions/{region}", globalOperations: "/global" } as const;

/** API methods for long-running operations in zones, regions and the whole project. */
export const operationOperations: readonly ApiOperation[] = Object.entries(scopes).flatMap(([collection, path]) => [
  operate(`${collection}.get`, ["GET", `${path}/operations/{operation}`], undefined, async (call) =>
    renderOperation(call, getOperation(call)),
  ),
  operate(`${collection}.list`, ["GET", `${path}/operations`], undefined, async (call) =>
    renderList(
      call,
      "operationList",
      listOperations(call).map((operation) => renderOperation(call, operation)),
      `${scopePath(call)}/operations`,
    ),
  ),
  operate(`${collection}.wait`, ["POST", `${path}/operations/{operation}/wait`], undefined, async (call) => {
    const operation = getOperation(call);
    await waitFor(call, operation);
    return renderOperation(call, operation);
  }),
]);

const computeTypes = /^google_compute_/;

function listOperations(call: ApiCall): readonly Operation[] {
  return call.operations
    .list()
    .filter(({ target }) => computeTypes.test(target.type) && target.id.startsWith(`${scopePath(call)}/`));
}

function getOperation(call: ApiCall): Operation {
  const name = parameterOf(call, "operation");
  const found = listOperations(call).find((operation) => nameOperation(operation) === name);
  return found ?? refuse(missing(`${scopePath(call)}/operations/${name}`));
}

function nameOperation({ id }: Operation): string {
  return `operation-${id}`;
}

const longestMs = 120_000;

/** Waits until an operation is done, for at most two minutes, as Compute Engine does. */
async function waitFor({ scope, operations }: ApiCall, operation: Operation): Promise<void> {
  const leftMs = operation.doneMs - scope.clock.now();
  if (!operations.isPending(operation) || leftMs <= 0) return;
  await scope.clock.sleep(Math.min(leftMs + 1, longestMs), scope.session.stop.signal).catch(() => undefined);
}

/** Renders an operation. */
export function renderOperation({ operations, caller }: ApiCall, operation: Operation): Record<string, unknown> {
  const { target, startedMs, doneMs } = operation;
  const [, project = "", kind = "", place = ""] = target.id.split("/");
  const isPending = operations.isPending(operation);
  const name = nameOperation(operation);
  const scope = kind === "global" ? `projects/${project}/global` : `projects/${project}/${kind}/${place}`;
  return {
    kind: "compute#operation",
    id: numericId(operation.id),
    name,
    ...(kind === "zones" ? { zone: linkOf(scope) } : kind === "regions" ? { region: linkOf(scope) } : {}),
    operationType: operation.name,
    targetLink: linkOf(target.id),
    targetId: numericId(target.id),
    status: isPending ? "RUNNING" : "DONE",
    user: caller.name,
    progress: isPending ? 0 : 100,
    insertTime: new Date(startedMs).toISOString(),
    startTime: new Date(startedMs).toISOString(),
    ...(isPending ? {} : { endTime: new Date(doneMs).toISOString() }),
    ...(operation.token === "" ? {} : { clientOperationId: operation.token }),
    selfLink: linkOf(`${scope}/operations/${name}`),
  };
}

/** Returns the idempotency token of a request. Throws if it is not a UUID. */
export function tokenOf({ query }: ApiCall): string {
  const token = query.get("requestId") ?? "";
  if (token === "" || /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(token)) return token;
  return refuse({
    code: "invalid",
    message: `Invalid value for field 'requestId': '${lastPart(token).slice(0, 50)}'.`,
    status: 400,
  });
}

/** If a request repeats an earlier one, returns the earlier request's operation. */
export function findRepeated(call: ApiCall, verb: Operation["verb"], type: string): Operation | undefined {
  const token = tokenOf(call);
  return token === ""
    ? undefined
    : call.operations.list().find((each) => each.token === token && each.verb === verb && each.target.type === type);
}
