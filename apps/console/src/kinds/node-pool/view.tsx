import type { AnyEntity, EntityByKind } from "@cloudwright/api-client";
import { lazy } from "react";
import { loadChunk } from "../../data/load-chunk.ts";
import type { EntityLocation } from "../../data/locations.ts";
import type { Tree } from "../../data/spec-paths.ts";
import { findCloudView, listCloudSettings } from "../../clouds/registry.ts";
import { omitEmpty, readSpec, type CreateForm } from "../create-form.ts";
import type { EntityLink, Fact, KindView } from "../kind-view.ts";
import { listSettingFacts } from "../../settings/list-setting-facts.ts";
import type { NodePoolValues } from "./fields.tsx";

const NodePoolFields = lazy(async () => ({ default: (await loadChunk(() => import("./fields.tsx"))).NodePoolFields }));
const Scale = lazy(async () => ({ default: (await loadChunk(() => import("../scale.tsx"))).Scale }));

const form: CreateForm<NodePoolValues> = {
  role: "editor",
  defaults: { instanceType: "", min: 1, desired: 2, max: 4, capacity: "", autoscaling: false },
  buildSpec: ({ instanceType, min, desired, max, capacity, autoscaling }) => ({
    min,
    desired,
    max,
    ...omitEmpty({ instanceType, capacity }),
    ...(autoscaling ? { autoscaling } : {}),
  }),
  parseSpec(spec) {
    const reader = readSpec(spec);
    const values: NodePoolValues = {
      instanceType: reader.take("instanceType", ""),
      min: reader.takeNumber("min") || 0,
      desired: reader.takeNumber("desired") || 0,
      max: reader.takeNumber("max") || 0,
      capacity: reader.take("capacity", ""),
      autoscaling: reader.take("autoscaling", false),
    };
    return { values, rest: reader.rest() };
  },
  settings: listCloudSettings("nodePool"),
  labels: {
    "spec.instanceType": "Machine type",
    "spec.min": "Minimum",
    "spec.desired": "Desired",
    "spec.max": "Maximum",
    "spec.capacity": "Capacity",
    "spec.autoscaling": "Autoscaling",
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
  wordOf: ({ nodePool }) => nodePool,
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

function listFacts(entity: AnyEntity, _link: EntityLink, { cloud }: EntityLocation): readonly Fact[] {
  const { spec, status } = entity as EntityByKind["NodePool"];
  return [
    ["Machine type", spec?.instanceTypes?.join(", ") || spec?.instanceType || "default"],
    ["Nodes", describeSize(spec)],
    ["Ready nodes", status?.readyNodes],
    ["Capacity", spec?.capacity || "on-demand"],
    ...listSettingFacts((spec ?? {}) as Tree, findCloudView(cloud)?.settings.nodePool ?? []),
  ];
}

function describeSize(spec: EntityByKind["NodePool"]["spec"]): string {
  const range = `${spec?.min ?? 0} to ${spec?.max ?? 0}`;
  return spec?.autoscaling === true ? `${range}, autoscaled` : `${spec?.desired ?? 0} desired, ${range}`;
}
