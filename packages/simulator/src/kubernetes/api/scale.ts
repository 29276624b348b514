import type { KubeObject } from "../cluster/kube-object.ts";
import { findField, isReservedName, reservedField, setField } from "../cluster/own-fields.ts";
import { valueAt } from "../tables/render-table.ts";
import { labelsText } from "../tables/columns.ts";
import type { Answer, ResourceCall } from "./call.ts";
import { ok } from "./call.ts";
import { parseBody, patchValue } from "./patch.ts";
import { badRequest } from "./status-error.ts";
import { getObject, replaceObject } from "./update.ts";
import { readWriteOptions } from "./write-options.ts";

/** Handles the `scale` subresource, which reads or sets only the number of replicas. */
export function answerScale(call: ResourceCall): Answer {
  const object = getObject(call);
  const current = scaleOf(call, object);
  if (call.method === "GET") return ok(current);
  const body = parseBody(call);
  const type = (call.headers["content-type"] ?? "").split(";")[0]?.trim();
  const usable = type === "application/strategic-merge-patch+json" ? "application/merge-patch+json" : type;
  const wanted = (call.method === "PUT" ? body : patchValue(call, usable, current, body)) as any;
  const replicas = wanted?.spec?.replicas ?? 0;
  if (!Number.isInteger(replicas) || replicas < 0)
    throw badRequest(`spec.replicas: Invalid value: ${JSON.stringify(replicas)}: must be greater than or equal to 0`);
  const path = pathsOf(call)
    .specReplicasPath.split(".")
    .filter((step) => step !== "");
  const next = structuredClone(object);
  if (path.some(isReservedName)) throw reservedField();
  let at: Record<string, unknown> = next;
  for (const step of path.slice(0, -1)) {
    if (typeof findField(at, step) !== "object") setField(at, step, {});
    at = (findField(at, step) ?? {}) as Record<string, unknown>;
  }
  setField(at, path.at(-1) ?? "", replicas);
  const given = wanted?.metadata?.resourceVersion;
  if (given) next.metadata.resourceVersion = given;
  return ok(scaleOf(call, replaceObject({ ...call, subresource: "" }, readWriteOptions(call), object, next)));
}

function pathsOf({ cluster, kind }: ResourceCall): {
  specReplicasPath: string;
  statusReplicasPath: string;
  labelSelectorPath?: string;
} {
  return cluster.kinds.findCustom(kind)?.scale ?? { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" };
}

function scaleOf(call: ResourceCall, object: KubeObject): Record<string, unknown> {
  const paths = pathsOf(call);
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const selector =
    paths.labelSelectorPath === undefined
      ? labelsText(object.spec?.selector?.matchLabels)
      : valueAt(object, paths.labelSelectorPath);
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: { replicas: valueAt(object, paths.specReplicasPath) ?? 0 },
    status: {
      replicas: valueAt(object, paths.statusReplicasPath) ?? 0,
      ...(selector !== undefined && selector !== "<none>" && { selector }),
    },
  };
}
