import type { ApiCall, ApiOperation } from "../../../api/api-service.ts";
import { factOf, type Operation } from "../../../api/operations.ts";
import { getCluster, notFound, pageOf, parameterOf, refuse } from "./eks-records.ts";

/** Operations on updates to clusters, node groups and add-ons. */
export const updateOperations: readonly ApiOperation[] = [
  {
    name: "DescribeUpdate",
    match: { method: "GET", path: "/clusters/{name}/updates/{updateId}" },
    async run(call) {
      await getCluster(call);
      const id = parameterOf(call, "updateId");
      const found = listUpdates(call).find((operation) => operation.id === id);
      return {
        content: { update: found === undefined ? refuse(notFound(`No update found for ID: ${id}`)) : renderUpdate(call, found) },
      };
    },
  },
  {
    name: "ListUpdates",
    match: { method: "GET", path: "/clusters/{name}/updates" },
    async run(call) {
      await getCluster(call);
      const { items, ...rest } = pageOf(call, listUpdates(call), ({ id }) => id);
      return { content: { updateIds: items.map(({ id }) => id), ...rest } };
    },
  },
];

function listUpdates(call: ApiCall): readonly Operation[] {
  const cluster = parameterOf(call, "name");
  const group = call.query.get("nodegroupName");
  const addon = call.query.get("addonName");
  const [type, id] =
    group !== null
      ? ["aws_eks_node_group", `${cluster}:${group}`]
      : addon !== null
        ? ["aws_eks_addon", `${cluster}:${addon}`]
        : ["aws_eks_cluster", cluster];
  return call.operations.list().filter(({ verb, target }) => verb === "update" && target.type === type && target.id === id);
}

/** Renders an update. */
export function renderUpdate({ operations }: ApiCall, operation: Operation): Record<string, unknown> {
  return {
    id: operation.id,
    status: operations.isPending(operation) ? "InProgress" : "Successful",
    type: operation.name,
    params: factOf(operation, "params") ?? [],
    createdAt: operation.startedMs / 1000,
    errors: [],
  };
}
