import type { AnyEntity, EntityByKind } from "@cloudwright/api-client";
import { Button } from "@mantine/core";
import { cloudOf, defaultCloud } from "@cloudwright/contract/clouds";
import { Link } from "@tanstack/react-router";
import { lazy } from "react";
import { buildAccount, startCredentials } from "../../clouds/credentials.ts";
import { findCloudView } from "../../clouds/registry.ts";
import type { AccountValues } from "./fields.tsx";
import { loadChunk } from "../../data/load-chunk.ts";
import { pathOf } from "../../data/paths.ts";
import { Icon } from "../../design/icons.tsx";
import { cloudColumn, countColumn, textColumn } from "../columns.tsx";
import type { CreateForm } from "../create-form.ts";
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
  describe: (entity) => (entity as EntityByKind["Account"]).status?.cloud ?? "",
  list: {
    title: "Accounts",
    description: "Cloud accounts and their credentials",
    emptyText: "An account contains the credentials for a cloud.",
    columns: [
      cloudColumn,
      textColumn("id", "Account id", (row) => entityOf<"Account">(row).status?.accountId, {
        width: "minmax(150px, 1fr)",
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
      spec.simulated === true ? "none needed: simulated, nothing is billed" : describeCredentials(status?.secretsSet ?? []),
    ],
  ];
}

function describeCredentials(set: readonly string[]): string {
  return set.length === 0
    ? "the agent's own credentials"
    : `${set.map((path) => path.split(".").at(-1)).join(", ")} set (not shown)`;
}
