import type { AnyEntity, EntityByKind } from "@cloudwright/api-client";
import { lazy } from "react";
import { loadChunk } from "../../data/load-chunk.ts";
import { locationColumn, textColumn } from "../columns.tsx";
import { omitEmpty, readSpec, type CreateForm } from "../create-form.ts";
import { entityOf, type EntityLink, type Fact, type KindView } from "../kind-view.ts";
import { mono } from "../mono.tsx";
import type { VolumeValues } from "./fields.tsx";

const VolumeFields = lazy(async () => ({ default: (await loadChunk(() => import("./fields.tsx"))).VolumeFields }));
const Attachment = lazy(async () => ({ default: (await loadChunk(() => import("./attachment.tsx"))).Attachment }));

const form: CreateForm<VolumeValues> = {
  role: "editor",
  defaults: { account: "", sizeGib: 20, instance: "", region: "", zone: "", type: "" },
  buildSpec: ({ account, sizeGib, instance, region, zone, type }) => ({
    account,
    ...(sizeGib === "" ? {} : { sizeGib }),
    ...omitEmpty({ instance, region, zone, type }),
  }),
  parseSpec(spec) {
    const reader = readSpec(spec);
    const values: VolumeValues = {
      account: reader.take("account", ""),
      sizeGib: reader.takeNumber("sizeGib"),
      instance: reader.take("instance", ""),
      region: reader.take("region", ""),
      zone: reader.take("zone", ""),
      type: reader.take("type", ""),
    };
    return { values, rest: reader.rest() };
  },
  labels: {
    "spec.account": "Account",
    "spec.region": "Region",
    "spec.zone": "Zone",
    "spec.type": "Type",
    "spec.sizeGib": "Size in GiB",
    "spec.instance": "Instance",
  },
  hasPreflight: true,
  hasEnvironment: true,
  renderFields: (props) => <VolumeFields {...props} />,
};

/** The view of disks for instances. */
export const volumeView: KindView = {
  kind: "Volume",
  icon: "volume",
  noun: "volume",
  list: {
    title: "Volumes",
    description: "Disks for instances",
    emptyText: "Volumes are disks for instances. They keep their data when they are detached.",
    columns: [
      textColumn("size", "Size", (row) => describeSize(entityOf<"Volume">(row))),
      textColumn("instance", "Attached to", (row) => entityOf<"Volume">(row).status?.attachedTo),
      locationColumn,
    ],
  },
  detail: {
    listFacts,
    hasRuns: true,
    renderActions: ({ entity, can }) => can("Volume", "attach") && <Attachment entity={entity} />,
  },
  form,
  describe: (entity) => describeSize(entity as EntityByKind["Volume"]),
};

function describeSize({ spec }: EntityByKind["Volume"]): string {
  return `${spec?.sizeGib ?? 0} GiB`;
}

function listFacts(entity: AnyEntity, link: EntityLink): readonly Fact[] {
  const { spec, status } = entity as EntityByKind["Volume"];
  return [
    ["Account", link("Account", spec?.account)],
    ["Zone", spec?.zone],
    ["Type", spec?.type],
    ["Size", describeSize(entity as EntityByKind["Volume"])],
    ["Instance", spec?.instance === undefined || spec.instance === "" ? "none" : link("Instance", spec.instance)],
    ["Attached to", status?.attachedTo],
    ["Device", mono(status?.device)],
    ["Volume id", mono(status?.volumeId)],
  ];
}
