import type { JsonObject } from "@bufbuild/protobuf";
import { hasAction, isEntityOf, parseTaskType, type TaskPayload } from "@cloudwright/contract";
import type { HandlerTask } from "../handler.ts";

/** Returns fake outputs that resemble those of a real run, derived from the entity's uid. */
export function renderOutputs({ type }: Pick<HandlerTask, "type">, payload: TaskPayload): JsonObject {
  const { entity, nodePools } = payload;
  const id = entity.uid.replaceAll("-", "").slice(-12);
  if (hasAction(type, "verify")) return { account_id: `demo-${id}` };
  // The demo does not save a plan, so no approval is needed and the apply can run without a plan.
  if (hasAction(type, "plan")) return { counts: { create: 0, update: 0, replace: 0, delete: 0, import: 0 } };
  if (hasAction(type, "findDrift")) return { drifted: false, summary: "", items: [], ignored: 0 };
  if (!hasAction(type, "apply")) return {};
  const service = parseTaskType(type)?.service;
  if (service === "cluster") {
    return {
      endpoint: `https://${id}.demo.invalid:6443`,
      version: (isEntityOf(entity, "Cluster") && entity.spec.version) || "1.34.1",
      ready_nodes: nodePools.reduce((sum, { spec }) => sum + (spec.desired || spec.min), 0),
    };
  }
  if (service === "storage") return { resource_id: `demo-storage-${id}` };
  return {
    network_id: `demo-network-${id}`,
    public_subnet_ids: [`demo-subnet-${id}-a`],
    private_subnet_ids: [`demo-subnet-${id}-b`],
    intra_subnet_ids: [],
  };
}
