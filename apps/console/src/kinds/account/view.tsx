import type { AnyEntity, EntityByKind } from "@cloudwright/api-client";
import { Button } from "@mantine/core";
import { cloudOf, defaultCloud, findCloud } from "@cloudwright/contract/clouds";
import { Link } from "@tanstack/react-router";
import { lazy } from "react";
import { buildAccount, findMethodOf, listMethodFields, listMethodSettings, startCredentials } from "../../clouds/credentials.ts";
import { findCloudView } from "../../clouds/registry.ts";
import type { AccountValues } from "./fields.tsx";
import { getPath, isTree } from "../../data/spec-paths.ts";
import { loadChunk } from "../../data/load-chunk.ts";
import { pathOf } from "../../data/paths.ts";
import { Icon } from "../../design/icons.tsx";
import { cloudColumn, countColumn, textColumn } from "../columns.tsx";
import { readSpec, type CreateForm } from "../create-form.ts";
import { entityOf, type Fact, type KindView } from "../kind-view.ts";
import { mono } from "../mono.tsx";

const AccountFields = lazy(async () => ({ default: (await loadChunk(() => import("./fields.tsx"))).AccountFields }));

const form: CreateForm<AccountValues> = {
  role: "admin",
  defaults: {
    cloud: defaultCloud,
    simulated: true,
    credentials: startCredentials(findCloudView(defaultCloud)),
  },
  buildSpec({ cloud, simulated, credentials }) {
    const view = findCloudView(cloud);
    if (simulated) return { [cloud]: {}, simulated };
    return { [cloud]: view === undefined ? {} : buildAccount(view, credentials) };
  },
  parseSpec(spec) {
    const cloud = cloudOf(spec) ?? defaultCloud;
    const view = findCloudView(cloud);
    const reader = readSpec(spec);
    const simulated = reader.take("simulated", false);
    const part = getPath(spec, cloud);
    const method = view === undefined ? "" : findMethodOf(view, isTree(part) ? part : {});
    const fields = simulated || view === undefined ? [] : listMethodFields(view, method);
    const credentials = Object.fromEntries(fields.map((field) => [field, reader.take(`${cloud}.${field}`, "")]));
    // Removes the method's settings from the rest, because `buildSpec` adds them again.
    for (const field of simulated ? [] : listMethodSettings(view, method)) reader.take(`${cloud}.${field}`, false);
    return {
      values: { cloud, simulated, credentials: { ...startCredentials(view), ...credentials, method } },
      rest: reader.rest(),
    };
  },
  labels: {},
  hasPreflight: false,
  hasEnvironment: true,
  renderFields: (props) => <AccountFields {...props} />,
};

export const accountView: KindView = {
  kind: "Account",
  icon: "account",
  noun: "account",
  shortcuts: { list: "a", create: "a" },
  describe: (entity) => findCloud((entity as EntityByKind["Account"]).status?.cloud ?? "")?.title ?? "",
  list: {
    title: "Accounts",
    description: "Cloud accounts and their credentials",
    emptyText: "An account contains the credentials for a cloud.",
    columns: [
      cloudColumn,
      textColumn("id", "Account id", (row) => entityOf<"Account">(row).status?.accountId, {
        width: "minmax(172px, 1.2fr)",
        render: (row) => mono(entityOf<"Account">(row).status?.accountId),
      }),
      textColumn("identity", "Identity", (row) => entityOf<"Account">(row).status?.identity, { optional: true }),
      countColumn("Networks"),
    ],
    counts: { kinds: ["Network"], by: "parent" },
  },
  detail: {
    listFacts,
    hasRuns: false,
    renderActions: ({ entity: { metadata }, where }) =>
      where.simulated && (
        <Button
          component={Link}
          to={`${pathOf(metadata.project ?? "", "simulator")}?account=${encodeURIComponent(metadata.name)}`}
          variant="default"
          leftSection={<Icon name="simulator" size={16} />}
        >
          Simulator
        </Button>
      ),
  },
  form,
};

function listFacts(entity: AnyEntity): readonly Fact[] {
  const { spec = {}, status } = entity as EntityByKind["Account"];
  const cloud = cloudOf(spec) ?? "";
  const part = (spec as Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>)[cloud] ?? {};
  return [
    ...(findCloudView(cloud)?.listAccountFacts(part) ?? []),
    [
      "Credentials",
      spec.simulated === true ? "not needed for a simulated account" : describeCredentials(status?.secretsSet ?? []),
    ],
  ];
}

function describeCredentials(set: readonly string[]): string {
  return set.length === 0
    ? "the agent's own credentials"
    : `${set.map((path) => path.split(".").at(-1)).join(", ")} set (not shown)`;
}
