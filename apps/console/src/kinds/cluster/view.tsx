import type { AnyEntity, EntityByKind } from "@cloudwright/api-client";
import { defaultCloud, getCloud } from "@cloudwright/contract/clouds";
import { lazy } from "react";
import { loadChunk } from "../../data/load-chunk.ts";
import type { EntityLocation } from "../../data/locations.ts";
import { pathOf } from "../../data/paths.ts";
import type { Tree } from "../../data/spec-paths.ts";
import { locationColumn, textColumn } from "../columns.tsx";
import { findCloudView, listCloudSettings } from "../../clouds/registry.ts";
import { omitEmpty, readSpec, type CreateForm } from "../create-form.ts";
import { entityOf, type EntityLink, type Fact, type KindView } from "../kind-view.ts";
import { mono } from "../mono.tsx";
import { listSettingFacts } from "../../settings/list-setting-facts.ts";
import type { ClusterValues } from "./fields.tsx";
import { NodesMeter, wantedNodesOf } from "./nodes-meter.tsx";

const ClusterFields = lazy(async () => ({ default: (await loadChunk(() => import("./fields.tsx"))).ClusterFields }));
const AddOns = lazy(async () => ({ default: (await loadChunk(() => import("./add-ons.tsx"))).AddOns }));
const Connect = lazy(async () => ({ default: (await loadChunk(() => import("./connect.tsx"))).Connect }));
const Scale = lazy(async () => ({ default: (await loadChunk(() => import("../scale.tsx"))).Scale }));
const UpgradeDialog = lazy(async () => ({ default: (await loadChunk(() => import("./upgrade-dialog.tsx"))).UpgradeDialog }));

const form: CreateForm<ClusterValues> = {
  role: "editor",
  defaults: { network: "", version: "", workers: 2, instanceType: "", approval: "" },
  buildSpec: ({ network, version, workers, instanceType, approval }) => ({
    network,
    ...(workers === "" ? {} : { workers }),
    ...omitEmpty({ version, instanceType }),
    ...(approval === "" ? {} : { infra: { approval } }),
  }),
  parseSpec(spec) {
    const reader = readSpec(spec);
    const values: ClusterValues = {
      network: reader.take("network", ""),
      version: reader.take("version", ""),
      workers: reader.takeNumber("workers"),
      instanceType: reader.take("instanceType", ""),
      approval: reader.take("infra.approval", ""),
    };
    return { values, rest: reader.rest() };
  },
  settings: listCloudSettings("cluster"),
  labels: {
    "spec.network": "Network",
    "spec.version": "Kubernetes version",
    "spec.workers": "Workers",
    "spec.instanceType": "Machine type",
    "spec.infra.approval": "Approval required",
  },
  hasPreflight: true,
  hasPreview: true,
  hasEnvironment: true,
  renderFields: (props) => <ClusterFields {...props} />,
};

export const clusterView: KindView = {
  kind: "Cluster",
  icon: "cluster",
  noun: "cluster",
  shortcuts: { list: "c", create: "c" },
  wordOf: ({ cluster }) => cluster,
  describe(entity) {
    const { spec, status } = entity as EntityByKind["Cluster"];
    return status?.version || spec?.version || "";
  },
  list: {
    title: "Clusters",
    description: "Kubernetes clusters in your cloud accounts",
    emptyText: "A cluster requires a network. In a simulated account, a cluster with two workers is ready within seconds.",
    columns: [
      textColumn("version", "Version", (row) => versionOf(entityOf<"Cluster">(row)), { width: "76px" }),
      textColumn("nodes", "Nodes", (row) => describeNodes(entityOf<"Cluster">(row)), {
        width: "104px",
        order: (row) => wantedNodesOf(entityOf<"Cluster">(row)),
        render: (row) => <NodesMeter cluster={entityOf<"Cluster">(row)} />,
      }),
      textColumn("network", "Network", (row) => entityOf<"Cluster">(row).spec?.network),
      locationColumn,
    ],
    isAlwaysChanging: true,
  },
  detail: {
    listFacts,
    hasRuns: true,
    renderPanels: (entity) => <AddOns entity={entity} />,
    renderActions: ({ entity, where, can }) => (
      <>
        {entity.status?.phase === "RUNNING" && can("Cluster", "kubeconfig") && (
          <Connect name={entity.metadata.name} where={where} />
        )}
        {can("Cluster", "update") && (
          <Scale kind="Cluster" entity={entity} sizes={{ workers: "Workers in the default node pool" }} />
        )}
      </>
    ),
    menu: [
      {
        label: "Add node pool",
        icon: "plus",
        needs: ["NodePool", "create"],
        pathOf: (project, { metadata }) => `${pathOf(project, "new", "nodepool")}?parent=${encodeURIComponent(metadata.name)}`,
      },
      {
        label: "Upgrade…",
        icon: "upgrade",
        needs: ["Cluster", "upgrade"],
        isOffered: ({ metadata }) => metadata.deletedAt === undefined,
        renderDialog: (props) => <UpgradeDialog {...props} />,
      },
    ],
  },
  form,
};

function listFacts(entity: AnyEntity, link: EntityLink, { cloud }: EntityLocation): readonly Fact[] {
  const { spec, status } = entity as EntityByKind["Cluster"];
  return [
    ["Network", link("Network", spec?.network)],
    ["Kubernetes", status?.serverVersion || versionOf(entity as EntityByKind["Cluster"])],
    ["Workers", spec?.workers],
    ["Machine type", spec?.instanceType || `default: ${getCloud(cloud || defaultCloud).machines.defaultType}`],
    ["Ready nodes", status?.readyNodes],
    ["API server", mono(status?.endpoint)],
    ...listSettingFacts((spec ?? {}) as Tree, findCloudView(cloud)?.settings.cluster ?? []),
    ["Add-ons", spec?.addOns?.map(({ name }) => name).join(", ")],
  ];
}

function versionOf({ spec, status }: EntityByKind["Cluster"]): string {
  return status?.version || spec?.version || "latest";
}

function describeNodes(cluster: EntityByKind["Cluster"]): string {
  return `${cluster.status?.readyNodes ?? 0}/${wantedNodesOf(cluster)}`;
}
