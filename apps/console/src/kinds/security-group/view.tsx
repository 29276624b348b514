import type { AnyEntity, EntityByKind } from "@cloudwright/api-client";
import { lazy } from "react";
import { loadChunk } from "../../data/load-chunk.ts";
import { locationColumn, textColumn } from "../columns.tsx";
import { omitEmpty, readSpec, type CreateForm } from "../create-form.ts";
import { entityOf, type EntityLink, type Fact, type KindView } from "../kind-view.ts";
import { mono } from "../mono.tsx";
import type { SecurityGroupValues } from "./fields.tsx";
import { buildRule, parseRules, renderRule } from "./rules.ts";

const SecurityGroupFields = lazy(async () => ({
  default: (await loadChunk(() => import("./fields.tsx"))).SecurityGroupFields,
}));
const RuleTable = lazy(async () => ({ default: (await loadChunk(() => import("./rule-table.tsx"))).RuleTable }));

const form: CreateForm<SecurityGroupValues> = {
  role: "editor",
  defaults: { network: "", description: "", rules: [] },
  buildSpec: ({ network, description, rules }) => ({
    network,
    ...omitEmpty({ description }),
    ...(rules.length === 0 ? {} : { rules: rules.map(buildRule) }),
  }),
  parseSpec({ rules: given, ...spec }) {
    const rules = parseRules(given);
    const reader = readSpec(spec);
    const values = { network: reader.take("network", ""), description: reader.take("description", ""), rules: rules ?? [] };
    // Rules that the form cannot show stay in the YAML.
    return { values, rest: rules === undefined ? { ...reader.rest(), rules: given } : reader.rest() };
  },
  labels: { "spec.network": "Network", "spec.description": "Description", "spec.rules": "Rules" },
  hasPreflight: true,
  hasEnvironment: true,
  renderFields: (props) => <SecurityGroupFields {...props} />,
};

/** The view of security groups. */
export const securityGroupView: KindView = {
  kind: "SecurityGroup",
  icon: "securitygroup",
  noun: "security group",
  list: {
    title: "Security groups",
    description: "Firewall rules for instances",
    emptyText: "Security groups are firewall rules for instances in a network.",
    columns: [
      textColumn("network", "Network", (row) => entityOf<"SecurityGroup">(row).spec?.network),
      textColumn("rules", "Rules", (row) => rulesOf(entityOf<"SecurityGroup">(row)).length, { isNumber: true }),
      locationColumn,
    ],
  },
  detail: {
    listFacts,
    hasRuns: true,
    renderContent: (entity) => <RuleTable rules={rulesOf(entity as EntityByKind["SecurityGroup"]).map(renderRule)} />,
  },
  form,
};

function rulesOf({ spec }: EntityByKind["SecurityGroup"]) {
  return spec?.rules ?? [];
}

function listFacts(entity: AnyEntity, link: EntityLink): readonly Fact[] {
  const { spec, status } = entity as EntityByKind["SecurityGroup"];
  return [
    ["Network", link("Network", spec?.network)],
    ["Description", spec?.description],
    ["Group id", mono(status?.groupId)],
  ];
}
