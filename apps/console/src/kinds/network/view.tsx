import type { AnyEntity, EntityByKind } from "@cloudwright/api-client";
import { defaultCloud } from "@cloudwright/contract/clouds";
import { lazy } from "react";
import { listSettingFacts } from "../../settings/list-setting-facts.ts";
import type { NetworkValues } from "./fields.tsx";
import { findCloudView, listCloudSettings } from "../../clouds/registry.ts";
import { loadChunk } from "../../data/load-chunk.ts";
import { createLocations, type EntityLocation } from "../../data/locations.ts";
import type { Tree } from "../../data/spec-paths.ts";
import { countColumn, locationColumn, textColumn } from "../columns.tsx";
import { omitEmpty, readSpec, type CreateForm } from "../create-form.ts";
import { entityOf, type EntityLink, type Fact, type KindView, type Row } from "../kind-view.ts";
import { mono } from "../mono.tsx";
import { suggestLocation } from "./choose-zones.ts";
import { suggestRange } from "./find-ranges.ts";

const NetworkFields = lazy(async () => ({ default: (await loadChunk(() => import("./fields.tsx"))).NetworkFields }));

const form: CreateForm<NetworkValues> = {
  role: "editor",
  defaults: {
    account: "",
    source: "new",
    cidr: "10.0.0.0/16",
    ...suggestLocation(defaultCloud),
    nat: "",
  },
  suggest: (kinds, account) => ({
    ...suggestLocation(createLocations(kinds).find("Account", account).cloud || defaultCloud),
    cidr: suggestRange(listNetworks(kinds).map(({ spec }) => spec?.cidr ?? "")),
  }),
  buildSpec({ account, source, region, cidr, zones, nat }) {
    if (source === "existing") return { account, ...omitEmpty({ region }) };
    return {
      account,
      ...omitEmpty({ region, cidr }),
      ...(zones.length === 0 ? {} : { zones: [...zones] }),
      ...omitEmpty({ nat }),
    };
  },
  parseSpec(spec) {
    const reader = readSpec(spec);
    const account = reader.take("account", "");
    const region = reader.take("region", "");
    if (spec["existing"] !== undefined)
      return { values: { account, region, source: "existing", cidr: "", zones: [], nat: "" }, rest: reader.rest() };
    const values: NetworkValues = {
      account,
      region,
      source: "new",
      cidr: reader.take("cidr", ""),
      zones: reader.take<readonly string[]>("zones", []),
      nat: reader.take("nat", ""),
    };
    return { values, rest: reader.rest() };
  },
  settings: listCloudSettings("newNetwork", "existingNetwork"),
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
  wordOf: ({ network }) => network,
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

function listFacts(entity: AnyEntity, link: EntityLink, { cloud }: EntityLocation): readonly Fact[] {
  const { spec, status } = entity as EntityByKind["Network"];
  return [
    ["Account", link("Account", spec?.account)],
    ["Address range", mono(status?.cidr || spec?.cidr)],
    ["IPv6 range", mono(status?.ipv6Cidr)],
    ["Zones", (status?.zones?.length ? status.zones : spec?.zones)?.join(", ")],
    ["Egress", spec?.existing === undefined ? describeEgress(cloud, spec?.nat ?? "") : "defined by the existing network"],
    ...(findCloudView(cloud || defaultCloud)?.listNetworkFacts((status ?? {}) as Tree) ?? []),
    ...listSettingFacts((spec ?? {}) as Tree, findCloudView(cloud)?.settings.newNetwork ?? []),
    ["Outbound public addresses", mono(status?.natPublicIps?.join("\n"))],
    ["Addresses for load balancers", mono(status?.loadBalancerPublicIps?.join("\n"))],
  ];
}

function describeEgress(cloud: EntityLocation["cloud"], nat: string): string {
  const [, label = nat] = findCloudView(cloud || defaultCloud)?.egress.find(([value]) => value === (nat || "none")) ?? [];
  return label;
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
