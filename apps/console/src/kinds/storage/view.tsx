import type { AnyEntity, EntityByKind } from "@cloudwright/api-client";
import { lazy } from "react";
import { loadChunk } from "../../data/load-chunk.ts";
import type { EntityLocation } from "../../data/locations.ts";
import type { Tree } from "../../data/spec-paths.ts";
import { locationColumn, textColumn } from "../columns.tsx";
import { findCloudView, listCloudSettings } from "../../clouds/registry.ts";
import { readSpec, type CreateForm } from "../create-form.ts";
import { entityOf, type EntityLink, type Fact, type KindView } from "../kind-view.ts";
import { mono } from "../mono.tsx";
import { listSettingFacts } from "../../settings/list-setting-facts.ts";
import type { StorageValues } from "./fields.tsx";

const StorageFields = lazy(async () => ({ default: (await loadChunk(() => import("./fields.tsx"))).StorageFields }));

const form: CreateForm<StorageValues> = {
  role: "editor",
  defaults: { cluster: "", type: "bucket", versioning: true, sizeGib: 20 },
  buildSpec: ({ cluster, type, versioning, sizeGib }) => ({
    cluster,
    ...(type === "bucket" ? { bucket: versioning ? { versioning: true } : {} } : { volume: sizeGib === "" ? {} : { sizeGib } }),
  }),
  parseSpec(spec) {
    const reader = readSpec(spec);
    const cluster = reader.take("cluster", "");
    if (spec["volume"] !== undefined) {
      const sizeGib = reader.takeNumber("volume.sizeGib");
      return { values: { cluster, type: "volume", versioning: false, sizeGib }, rest: reader.rest() };
    }
    const versioning = reader.take("bucket.versioning", false);
    return { values: { cluster, type: "bucket", versioning, sizeGib: "" }, rest: reader.rest() };
  },
  settings: listCloudSettings("bucket", "volume"),
  labels: { "spec.cluster": "Cluster", "spec.volume.sizeGib": "Size in GiB" },
  hasPreflight: true,
  hasEnvironment: true,
  renderFields: (props) => <StorageFields {...props} />,
};

export const storageView: KindView = {
  kind: "Storage",
  icon: "storage",
  noun: "storage",
  wordOf: ({ bucket, volume }, entity) => ((entity as EntityByKind["Storage"]).spec?.volume === undefined ? bucket : volume),
  shortcuts: { list: "s" },
  list: {
    title: "Storage",
    description: "Buckets and volumes for clusters",
    emptyText: "Storage provides buckets and volumes for a cluster.",
    columns: [
      textColumn("cluster", "Cluster", (row) => entityOf<"Storage">(row).spec?.cluster),
      textColumn("type", "Type", (row) => describeType(entityOf<"Storage">(row))),
      locationColumn,
    ],
  },
  detail: { listFacts, hasRuns: true },
  form,
};

function listFacts(entity: AnyEntity, link: EntityLink, { cloud }: EntityLocation): readonly Fact[] {
  const { spec, status } = entity as EntityByKind["Storage"];
  const settings = findCloudView(cloud)?.settings[spec?.volume === undefined ? "bucket" : "volume"] ?? [];
  return [
    ["Cluster", link("Cluster", spec?.cluster)],
    ["Type", describeType(entity as EntityByKind["Storage"])],
    ["Object versions", spec?.bucket?.versioning === true ? "yes" : ""],
    ...listSettingFacts((spec ?? {}) as Tree, settings),
    ["Resource", mono(status?.resourceId)],
    ["Host name", mono(status?.domainName)],
  ];
}

function describeType({ spec }: EntityByKind["Storage"]): string {
  return spec?.volume === undefined ? "bucket" : `volume, ${spec.volume.sizeGib ?? 0} GiB`;
}
