import type { JsonObject } from "@bufbuild/protobuf";
import type { HandlerTask } from "../handler.ts";
import type { TaskPayload } from "../payload.ts";

/** Outputs as a real run would have them, made from the entity's uid. */
export function renderOutputs(task: Pick<HandlerTask, "type">, payload: TaskPayload): JsonObject {
  const { uid, spec } = payload.entity;
  const id = uid.replaceAll("-", "").slice(-12);
  switch (task.type) {
    case "account.verify":
      return { account_id: `demo-${id}` };
    case "network.apply":
      return {
        network_id: `demo-network-${id}`,
        public_subnet_ids: [`demo-subnet-${id}-a`],
        private_subnet_ids: [`demo-subnet-${id}-b`],
        intra_subnet_ids: [],
      };
    case "cluster.apply":
      return {
        endpoint: `https://${id}.demo.invalid:6443`,
        version: typeof spec["version"] === "string" && spec["version"] !== "" ? spec["version"] : "1.34.1",
        ready_nodes: payload.nodePools.reduce((sum, pool) => sum + readCount(pool.spec), 0),
      };
    case "storage.apply":
      return { resource_id: `demo-storage-${id}` };
    // No plan is kept, so that nobody has to approve one, and the apply that follows takes none.
    case "network.plan":
    case "cluster.plan":
    case "storage.plan":
      return { counts: { create: 0, update: 0, replace: 0, delete: 0, import: 0 } };
    case "network.check":
    case "cluster.check":
    case "storage.check":
      return { drifted: false, summary: "", items: [], ignored: 0 };
    default:
      return {};
  }
}

function readCount(spec: JsonObject): number {
  return [spec["desired"], spec["min"]].find((value) => typeof value === "number") ?? 0;
}
