import type { AnyEntity, EntityByKind } from "@cloudwright/api-client";
import { lazy } from "react";
import { loadChunk } from "../../data/load-chunk.ts";
import { locationColumn, textColumn } from "../columns.tsx";
import { omitEmpty, readSpec, type CreateForm } from "../create-form.ts";
import { entityOf, type EntityLink, type Fact, type KindView } from "../kind-view.ts";
import { mono } from "../mono.tsx";
import type { VolumeSnapshotValues } from "./fields.tsx";

const VolumeSnapshotFields = lazy(async () => ({
  default: (await loadChunk(() => import("./fields.tsx"))).VolumeSnapshotFields,
}));

const form: CreateForm<VolumeSnapshotValues> = {
  role: "editor",
  defaults: { account: "", volume: "" },
  buildSpec: ({ account, volume }) => ({ ...omitEmpty({ account }), volume }),
  parseSpec(spec) {
    const reader = readSpec(spec);
    const values = { account: reader.take("account", ""), volume: reader.take("volume", "") };
    return { values, rest: reader.rest() };
  },
  labels: { "spec.account": "Account", "spec.volume": "Volume" },
  hasPreflight: true,
  hasEnvironment: true,
  renderFields: (props) => <VolumeSnapshotFields {...props} />,
};

/** The view of copies of volumes. */
export const volumeSnapshotView: KindView = {
  kind: "VolumeSnapshot",
  icon: "volumesnapshot",
  noun: "snapshot",
  list: {
    title: "Snapshots",
    description: "Copies of volumes",
    emptyText: "Snapshots are copies of volumes. New volumes can start with their data.",
    columns: [
      textColumn("volume", "Volume", (row) => entityOf<"VolumeSnapshot">(row).spec?.volume),
      textColumn("size", "Size", (row) => describeSize(entityOf<"VolumeSnapshot">(row))),
      locationColumn,
    ],
  },
  detail: { listFacts, hasRuns: true },
  form,
  describe: (entity) => `copy of ${(entity as EntityByKind["VolumeSnapshot"]).spec?.volume ?? ""}`,
};

const consistencies: Readonly<Record<string, string>> = {
  clean: "clean: nothing was mounted",
  frozen: "frozen: writes waited during the copy",
  crash: "crash: as after a power cut",
};

function describeSize({ status }: EntityByKind["VolumeSnapshot"]): string | undefined {
  return status?.sizeGib === undefined ? undefined : `${status.sizeGib} GiB`;
}

function listFacts(entity: AnyEntity, link: EntityLink): readonly Fact[] {
  const snapshot = entity as EntityByKind["VolumeSnapshot"];
  const { spec, status } = snapshot;
  return [
    ["Account", link("Account", spec?.account)],
    ["Volume", spec?.volume],
    ["Size", describeSize(snapshot)],
    ["Captured at", status?.capturedAt],
    ["Consistency", consistencies[status?.consistency ?? ""]],
    ["Snapshot id", mono(status?.snapshotId)],
  ];
}
