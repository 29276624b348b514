import type { AnyEntity, EntityByKind } from "@cloudwright/api-client";
import { lazy } from "react";
import { loadChunk } from "../../data/load-chunk.ts";
import { locationColumn, textColumn } from "../columns.tsx";
import { omitEmpty, readSpec, type CreateForm } from "../create-form.ts";
import { entityOf, type EntityLink, type Fact, type KindView } from "../kind-view.ts";
import type { InventoryValues } from "./fields.tsx";
import { buildHost, parseHosts } from "./hosts.ts";

const InventoryFields = lazy(async () => ({ default: (await loadChunk(() => import("./fields.tsx"))).InventoryFields }));
const HostTable = lazy(async () => ({ default: (await loadChunk(() => import("./host-table.tsx"))).HostTable }));

const form: CreateForm<InventoryValues> = {
  role: "editor",
  defaults: { account: "", sshKey: "", user: "", hosts: [] },
  buildSpec: ({ account, sshKey, user, hosts }) => ({
    account,
    sshKey,
    ...omitEmpty({ user }),
    ...(hosts.length === 0 ? {} : { hosts: hosts.map(buildHost) }),
  }),
  parseSpec({ hosts: given, ...spec }) {
    const hosts = parseHosts(given);
    const reader = readSpec(spec);
    const values = {
      account: reader.take("account", ""),
      sshKey: reader.take("sshKey", ""),
      user: reader.take("user", ""),
      hosts: hosts ?? [],
    };
    // Hosts that the form cannot show stay in the YAML.
    return { values, rest: hosts === undefined ? { ...reader.rest(), hosts: given } : reader.rest() };
  },
  labels: { "spec.account": "Account", "spec.sshKey": "SSH key", "spec.user": "User", "spec.hosts": "Hosts" },
  hasPreflight: false,
  hasEnvironment: true,
  renderFields: (props) => <InventoryFields {...props} />,
};

/** The view of machines that already exist. */
export const inventoryView: KindView = {
  kind: "Inventory",
  icon: "inventory",
  noun: "inventory",
  list: {
    title: "Inventories",
    description: "Machines that already exist",
    emptyText: "An inventory lists machines that already exist. Instances claim them instead of creating machines.",
    columns: [
      textColumn("hosts", "Hosts", (row) => entityOf<"Inventory">(row).spec?.hosts?.length ?? 0, { isNumber: true }),
      textColumn("ready", "Ready", (row) => countReady(entityOf<"Inventory">(row)), { isNumber: true }),
      locationColumn,
    ],
  },
  detail: {
    listFacts,
    hasRuns: false,
    renderPanels: (entity) => <HostTable entity={entity as EntityByKind["Inventory"]} />,
  },
  form,
};

function countReady({ status }: EntityByKind["Inventory"]): number {
  return (status?.hosts ?? []).filter(({ state }) => state === "READY").length;
}

function listFacts(entity: AnyEntity, link: EntityLink): readonly Fact[] {
  const { spec, status } = entity as EntityByKind["Inventory"];
  return [
    ["Account", link("Account", spec?.account)],
    ["SSH key", link("SshKey", spec?.sshKey)],
    ["User", spec?.user || "root"],
    ["Controller passwords", (status?.secretsSet ?? []).length > 0 ? "set" : ""],
  ];
}
