import type { AnyEntity, EntityByKind } from "@cloudwright/api-client";
import { defaultCloud, getCloud } from "@cloudwright/contract/clouds";
import { lazy } from "react";
import type { NetworkValues } from "./fields.tsx";
import { loadChunk } from "../../data/load-chunk.ts";
import { countColumn, locationColumn, textColumn } from "../columns.tsx";
import { omitEmpty, type CreateForm } from "../create-form.ts";
import { entityOf, type EntityLink, type Fact, type KindView, type Row } from "../kind-view.ts";
import { mono } from "../mono.tsx";
import { suggestRange } from "./plan-addresses.ts";

const NetworkFields = lazy(async () => ({ default: (await loadChunk(() => import("./fields.tsx"))).NetworkFields }));

const { regions } = getCloud(defaultCloud);

const form: CreateForm<NetworkValues> = {
  role: "editor",
  defaults: {
    account: "",
    region: regions.default,
    cidr: "10.0.0.0/16",
    zones: regions.defaultZones.slice(0, 2),
    nat: "",
  },
  suggest: (kinds) => ({ cidr: suggestRange(listNetworks(kinds).map(({ spec }) => spec?.cidr ?? "")) }),
  buildSpec: ({ account, region, cidr, zones, nat }) => ({ account, region, cidr, zones: [...zones], ...omitEmpty({ nat }) }),
  labels: {
    account: "Account",
    "spec.account": "Account",
    "spec.region": "Region",
    "spec.nat": "Egress",
    "spec.cidr": "Address range",
    "spec.zones": "Zones",
  },
  aliases: { account: "spec.account" },
  hasPreflight: true,
  hasEnvironment: true,
  renderFields: (props) => <NetworkFields {...props} />,
};

export const networkView: KindView = {
  kind: "Network",
  icon: "network",
  noun: "network",
  shortcuts: { list: "n", create: "n" },
  describe: (entity) => (entity as EntityByKind["Network"]).spec?.region ?? "",
  list: {
    title: "Networks",
    description: "Address ranges and subnets for clusters",
    emptyText: "A network provides addresses and subnets for clusters. It requires an account.",
    columns: [
      textColumn("account", "Account", (row) => entityOf<"Network">(row).spec?.account, { width: "minmax(124px, 1fr)" }),
      locationColumn,
      textColumn("cidr", "Address range", rangeOf, { width: "112px", render: (row) => mono(rangeOf(row)) }),
      countColumn("Clusters"),
      textColumn("zones", "Zones", countZones, { width: "72px", isNumber: true, optional: true, order: countZones }),
    ],
    counts: { kinds: ["Cluster"], by: "parent" },
    isAlwaysChanging: true,
  },
  detail: { listFacts, hasRuns: true },
  form,
};

const egress: Readonly<Record<string, string>> = {
  "": "the cloud's default",
  "per-zone": "one NAT gateway per zone",
  single: "one NAT gateway",
  none: "none",
};

function listFacts(entity: AnyEntity, link: EntityLink): readonly Fact[] {
  const { spec, status } = entity as EntityByKind["Network"];
  return [
    ["Account", link("Account", spec?.account)],
    ["Address range", mono(status?.cidr || spec?.cidr)],
    ["Zones", spec?.zones?.join(", ")],
    ["Egress", egress[spec?.nat ?? ""] ?? spec?.nat],
    ["Network id", mono(status?.networkId)],
    ["Public subnets", mono(status?.publicSubnetIds?.join("\n"))],
    ["Private subnets", mono(status?.privateSubnetIds?.join("\n"))],
    ["Control plane subnets", mono(status?.intraSubnetIds?.join("\n"))],
  ];
}

function rangeOf(row: Row): string | undefined {
  const { spec, status } = entityOf<"Network">(row);
  return status?.cidr || spec?.cidr;
}

function countZones(row: Row): number {
  return entityOf<"Network">(row).spec?.zones?.length ?? 0;
}

function listNetworks(kinds: Parameters<NonNullable<typeof form.suggest>>[0]): EntityByKind["Network"][] {
  return [...(kinds.Network?.values() ?? [])] as EntityByKind["Network"][];
}
