import type { AnyEntity, EntityByKind } from "@cloudwright/api-client";
import { findCloud } from "@cloudwright/contract/clouds";
import { lazy } from "react";
import { loadChunk } from "../../data/load-chunk.ts";
import type { EntityLocation } from "../../data/locations.ts";
import { locationColumn, textColumn } from "../columns.tsx";
import { omitEmpty, readSpec, type CreateForm } from "../create-form.ts";
import { entityOf, type EntityLink, type Fact, type KindView } from "../kind-view.ts";
import { mono } from "../mono.tsx";
import { canSet } from "./can-set.ts";
import type { InstanceValues } from "./fields.tsx";

const InstanceFields = lazy(async () => ({ default: (await loadChunk(() => import("./fields.tsx"))).InstanceFields }));
const Power = lazy(async () => ({ default: (await loadChunk(() => import("./power.tsx"))).Power }));

const form: CreateForm<InstanceValues> = {
  role: "editor",
  defaults: {
    network: "",
    inventory: "",
    machineType: "",
    image: "",
    sshKeys: [],
    securityGroups: [],
    sizeGib: "",
    publicAddress: false,
  },
  buildSpec: ({ network, inventory, machineType, image, sshKeys, securityGroups, sizeGib, publicAddress }) => ({
    ...(inventory === "" ? { network } : { inventory }),
    ...omitEmpty({ machineType, image }),
    ...(sshKeys.length === 0 ? {} : { sshKeys }),
    ...(securityGroups.length === 0 ? {} : { securityGroups }),
    ...(sizeGib === "" ? {} : { rootDisk: { sizeGib } }),
    ...(publicAddress ? { publicAddress } : {}),
  }),
  parseSpec(spec) {
    const reader = readSpec(spec);
    const values: InstanceValues = {
      network: reader.take("network", ""),
      inventory: reader.take("inventory", ""),
      machineType: reader.take("machineType", ""),
      image: reader.take("image", ""),
      sshKeys: reader.take("sshKeys", [] as readonly string[]),
      securityGroups: reader.take("securityGroups", [] as readonly string[]),
      sizeGib: reader.takeNumber("rootDisk.sizeGib"),
      publicAddress: reader.take("publicAddress", false),
    };
    return { values, rest: reader.rest() };
  },
  labels: {
    "spec.network": "Network",
    "spec.inventory": "Inventory",
    "spec.machineType": "Machine type",
    "spec.image": "Image",
    "spec.sshKeys": "SSH keys",
    "spec.securityGroups": "Security groups",
    "spec.rootDisk.sizeGib": "Root disk in GiB",
  },
  hasPreflight: true,
  hasEnvironment: true,
  renderFields: (props) => <InstanceFields {...props} />,
};

/** The view of virtual machines. */
export const instanceView: KindView = {
  kind: "Instance",
  icon: "instance",
  noun: "instance",
  shortcuts: { list: "i", create: "i" },
  list: {
    title: "Instances",
    description: "Virtual machines in networks, and machines of inventories",
    emptyText: "Instances are virtual machines in a network.",
    columns: [
      textColumn("machine", "Machine", (row) => entityOf<"Instance">(row).status?.machineStatus),
      textColumn("type", "Machine type", (row) => machineTypeOf(entityOf<"Instance">(row))),
      textColumn("address", "Address", (row) => addressOf(entityOf<"Instance">(row))),
      locationColumn,
    ],
  },
  detail: {
    listFacts,
    hasRuns: true,
    renderActions: ({ entity, can }) => can("Instance", "update") && <Power entity={entity} />,
  },
  form,
  describe: (entity) => addressOf(entity as EntityByKind["Instance"]),
};

function addressOf({ status }: EntityByKind["Instance"]): string {
  return status?.publicAddress || status?.privateAddress || "";
}

function describeSystem({ status }: EntityByKind["Instance"]): string {
  const { os = "", architecture = "", cores = 0, memoryMib = 0 } = status ?? {};
  return cores === 0 ? "" : `${os} ${architecture}, ${cores} cores, ${Math.round(memoryMib / 1024)} GiB`;
}

function machineTypeOf({ spec, status }: EntityByKind["Instance"]): string {
  return status?.machineType || spec?.machineType || "";
}

function listFacts(entity: AnyEntity, link: EntityLink, { cloud }: EntityLocation): readonly Fact[] {
  const { spec, status } = entity as EntityByKind["Instance"];
  const encryptsDisks = canSet(findCloud(cloud)?.instances, { rootDisk: { encrypted: true } }, "spec.rootDisk.encrypted");
  const encryption = spec?.rootDisk?.encrypted === false ? ", not encrypted" : encryptsDisks ? ", encrypted" : "";
  return [
    ...(spec?.inventory
      ? ([
          ["Inventory", link("Inventory", spec.inventory)],
          ["Host", spec.host],
          ["System", describeSystem(entity as EntityByKind["Instance"])],
        ] as const)
      : ([["Network", link("Network", spec?.network)]] as const)),
    ["Machine", status?.machineStatus],
    ["Machine type", machineTypeOf(entity as EntityByKind["Instance"]) || (spec?.inventory ? "" : "default")],
    ["Image", spec?.image],
    ["SSH keys", spec?.sshKeys?.join(", ")],
    ["Security groups", spec?.securityGroups?.join(", ")],
    ["Root disk", spec?.inventory ? "" : `${spec?.rootDisk?.sizeGib ?? 0} GiB${encryption}`],
    ["Metadata tokens", spec?.metadataTokens],
    ["User data", (status?.secretsSet ?? []).length > 0 ? "set" : ""],
    ["Private address", mono(status?.privateAddress)],
    ["Public address", mono(status?.publicAddress)],
    ["User", mono(status?.user)],
    ["Zone", status?.zone],
    ["Instance id", mono(status?.instanceId)],
  ];
}
