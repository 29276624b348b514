import type { EntityByKind } from "@cloudwright/api-client";
import { lazy } from "react";
import { loadChunk } from "../../data/load-chunk.ts";
import { textColumn } from "../columns.tsx";
import { omitEmpty, readSpec, type CreateForm } from "../create-form.ts";
import { entityOf, type KindView } from "../kind-view.ts";
import { mono } from "../mono.tsx";
import type { SshKeyValues } from "./fields.tsx";

const SshKeyFields = lazy(async () => ({ default: (await loadChunk(() => import("./fields.tsx"))).SshKeyFields }));

const form: CreateForm<SshKeyValues> = {
  role: "editor",
  defaults: { publicKey: "" },
  buildSpec: ({ publicKey }) => omitEmpty({ publicKey: publicKey.trim() }),
  parseSpec(spec) {
    const reader = readSpec(spec);
    const values = { publicKey: reader.take("publicKey", "") };
    return { values, rest: reader.rest() };
  },
  labels: { "spec.publicKey": "Public key" },
  hasPreflight: false,
  hasEnvironment: true,
  renderCommonFields: (props) => <SshKeyFields {...props} />,
};

/** The view of SSH keys. They have no infrastructure of their own. */
export const sshKeyView: KindView = {
  kind: "SshKey",
  icon: "sshkey",
  noun: "SSH key",
  list: {
    title: "SSH keys",
    description: "Keys for logging in to instances",
    emptyText: "SSH keys let you log in to instances. The platform can generate them.",
    columns: [
      textColumn("type", "Type", (row) => entityOf<"SshKey">(row).status?.type),
      textColumn("fingerprint", "Fingerprint", (row) => entityOf<"SshKey">(row).status?.fingerprint, {
        width: "minmax(0, 3fr)",
      }),
    ],
  },
  detail: {
    listFacts(entity) {
      const { spec, status } = entity as EntityByKind["SshKey"];
      return [
        ["Type", status?.type],
        ["Fingerprint", mono(status?.fingerprint)],
        ["Public key", mono(spec?.publicKey)],
        ["Private key", (status?.secretsSet ?? []).length > 0 ? "stored, encrypted" : "not stored"],
      ];
    },
    hasRuns: false,
    isDeletedAtOnce: true,
  },
  form,
};
