import type { AnyEntity, EntityByKind } from "@cloudwright/api-client";
import { lazy } from "react";
import { loadChunk } from "../../data/load-chunk.ts";
import { omitEmpty, type CreateForm } from "../create-form.ts";
import type { Fact, KindView } from "../kind-view.ts";
import type { NodePoolValues } from "./fields.tsx";

const NodePoolFields = lazy(async () => ({ default: (await loadChunk(() => import("./fields.tsx"))).NodePoolFields }));
const Scale = lazy(async () => ({ default: (await loadChunk(() => import("../scale.tsx"))).Scale }));

const form: CreateForm<NodePoolValues> = {
  role: "editor",
  defaults: { instanceType: "", min: 1, desired: 2, max: 4, capacity: "" },
  buildSpec: ({ instanceType, min, desired, max, capacity }) => ({
    min,
    desired,
    max,
    ...omitEmpty({ instanceType, capacity }),
  }),
  labels: {
    "spec.instanceType": "Machine type",
    "spec.min": "Minimum",
    "spec.desired": "Desired",
    "spec.max": "Maximum",
    "spec.capacity": "Capacity",
  },
  hasPreflight: true,
  hasEnvironment: true,
  renderFields: (props) => <NodePoolFields {...props} />,
};

/** The view of node pools. They have no list page and appear on the page of their cluster. */
export const nodePoolView: KindView = {
  kind: "NodePool",
  icon: "nodepool",
  noun: "node pool",
  detail: {
    listFacts,
    hasRuns: false,
    renderActions: ({ entity, can }) =>
      can("NodePool", "update") && (
        <Scale kind="NodePool" entity={entity} sizes={{ min: "Minimum", desired: "Desired", max: "Maximum" }} />
      ),
  },
  form,
};

function listFacts(entity: AnyEntity): readonly Fact[] {
  const { spec, status } = entity as EntityByKind["NodePool"];
  return [
    ["Machine type", spec?.instanceType || "default"],
    ["Nodes", `${spec?.desired ?? 0} desired, ${spec?.min ?? 0} to ${spec?.max ?? 0}`],
    ["Ready nodes", status?.readyNodes],
    ["Capacity", spec?.capacity || "on-demand"],
    ["Disk", spec?.diskSizeGib ? `${spec.diskSizeGib} GiB` : ""],
  ];
}
