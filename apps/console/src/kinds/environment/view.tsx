import type { EntityByKind } from "@cloudwright/api-client";
import { lazy } from "react";
import { loadChunk } from "../../data/load-chunk.ts";
import { countColumn, textColumn } from "../columns.tsx";
import { omitEmpty, readSpec, type CreateForm } from "../create-form.ts";
import { entityOf, type KindView } from "../kind-view.ts";
import type { EnvironmentValues } from "./fields.tsx";

const EnvironmentFields = lazy(async () => ({ default: (await loadChunk(() => import("./fields.tsx"))).EnvironmentFields }));

const form: CreateForm<EnvironmentValues> = {
  role: "editor",
  defaults: { description: "" },
  buildSpec: ({ description }) => omitEmpty({ description }),
  parseSpec(spec) {
    const reader = readSpec(spec);
    const values = { description: reader.take("description", "") };
    return { values, rest: reader.rest() };
  },
  labels: {},
  hasPreflight: false,
  hasEnvironment: false,
  renderCommonFields: (props) => <EnvironmentFields {...props} />,
};

/** The view of environments. They have no infrastructure and only group entities of other kinds. */
export const environmentView: KindView = {
  kind: "Environment",
  icon: "environment",
  noun: "environment",
  list: {
    title: "Environments",
    description: "Group entities to filter them, view them together and assign roles",
    emptyText: "Environments group entities for filters, overviews and roles.",
    columns: [
      textColumn("description", "Description", (row) => entityOf<"Environment">(row).spec?.description, {
        width: "minmax(0, 3fr)",
      }),
      countColumn("Entities"),
    ],
    counts: {
      kinds: [
        "Account",
        "Network",
        "Cluster",
        "Storage",
        "Instance",
        "Volume",
        "VolumeSnapshot",
        "SecurityGroup",
        "Inventory",
        "SshKey",
      ],
      by: "environment",
    },
  },
  detail: {
    listFacts: (entity) => [["Description", (entity as EntityByKind["Environment"]).spec?.description]],
    hasRuns: false,
    isDeletedAtOnce: true,
    members: [
      "Account",
      "Network",
      "Cluster",
      "NodePool",
      "Storage",
      "Instance",
      "Volume",
      "VolumeSnapshot",
      "SecurityGroup",
      "Inventory",
      "SshKey",
    ],
  },
  form,
};
