import type { AnyEntity, EntityByKind, KindName, Stored } from "@cloudwright/api-client";
import type { ReactNode } from "react";
import { hasCondition, phaseOf, type Whereabouts } from "../../data/fleet.ts";
import { entityPath } from "../../data/paths.ts";
import type { Column } from "../../design/arrange-rows.ts";
import { EntityLabel } from "../../design/entity-label.tsx";
import { Phase, Tag } from "../../design/status.tsx";
import { Age } from "../../design/time.tsx";
import { iconOfKind } from "../create/creatable.ts";
import { NodesMeter, wantedNodesOf } from "./nodes-meter.tsx";

/** An entity and its location. */
export interface Row {
  readonly entity: Stored<AnyEntity>;
  readonly where: Whereabouts;
  /** The number of entities in it. */
  readonly held: number;
}

const as = <Kind extends KindName>(row: Row): EntityByKind[Kind] => row.entity as EntityByKind[Kind];

const rangeOf = (row: Row): string | undefined => {
  const { spec, status } = as<"Network">(row);
  return status?.cidr || spec?.cidr;
};

/** Returns the columns of a kind's list. */
export function columnsOf(kind: KindName, project: string): readonly Column<Row>[] {
  const isEnvironment = kind === "Environment";
  return [
    name(kind, project),
    ...(isEnvironment ? [] : [phase]),
    ...(own[kind] ?? []),
    ...(isEnvironment ? [] : [environment]),
    labels,
    // Drift checks update these kinds all the time, so their time of change carries no information.
    { ...changed, optional: kind === "Network" || kind === "Cluster" },
  ];
}

function name(kind: KindName, project: string): Column<Row> {
  return {
    id: "name",
    title: "Name",
    width: "minmax(190px, 2.4fr)",
    text: ({ entity }) => entity.metadata.name,
    render: ({ entity, where }) => (
      <EntityLabel
        icon={iconOfKind(kind)}
        name={entity.metadata.name}
        to={entityPath(project, kind, entity.metadata.name, entity.metadata.parent)}
        simulated={where.simulated}
      />
    ),
  };
}

const phase: Column<Row> = {
  id: "phase",
  title: "State",
  width: "minmax(158px, 1fr)",
  text: ({ entity }) => [entity.status?.phase ?? "PENDING", phaseOf(entity), ...marksOf(entity, false)].join(" "),
  render: ({ entity }) => (
    <span className="cw-row" style={{ flexWrap: "nowrap", gap: 6 }}>
      <Phase state={phaseOf(entity)} />
      {marksOf(entity, false).map((mark) => (
        <Tag key={mark} tone="warn">
          {mark}
        </Tag>
      ))}
    </span>
  ),
};

/** Returns short warnings to show beside an entity's phase. */
export function marksOf(entity: AnyEntity, withApproval = true): string[] {
  return [
    ...(entity.metadata?.paused === true ? ["paused"] : []),
    ...(hasCondition(entity, "Drifted") ? ["drifted"] : []),
    ...(withApproval && hasCondition(entity, "ApprovalNeeded") ? ["needs approval"] : []),
  ];
}

const cloud: Column<Row> = { id: "cloud", title: "Cloud", width: "80px", wide: true, text: ({ where }) => where.cloud };
const region: Column<Row> = {
  id: "region",
  title: "Location",
  width: "minmax(156px, .8fr)",
  wide: true,
  text: ({ where }) => `${where.cloud} ${where.region}`,
  render: ({ where }) => (
    <>
      <span className="cw-muted">{where.cloud}</span> {where.region}
    </>
  ),
};

function plain(
  id: string,
  title: string,
  text: (row: Row) => string | number | undefined,
  more: Partial<Column<Row>> = {},
): Column<Row> {
  return { id, title, wide: true, width: "minmax(96px, 1fr)", text: (row) => String(text(row) ?? ""), ...more };
}

function heldColumn(title: string): Column<Row> {
  return plain("held", title, ({ held }) => held, { width: "80px", isNumber: true, order: ({ held }) => held });
}

const own: Partial<Record<KindName, readonly Column<Row>[]>> = {
  Account: [
    cloud,
    plain("id", "Account id", (row) => as<"Account">(row).status?.accountId, {
      width: "minmax(150px, 1fr)",
      render: (row): ReactNode => <span className="cw-mono">{as<"Account">(row).status?.accountId}</span>,
    }),
    plain("identity", "Identity", (row) => as<"Account">(row).status?.identity, { optional: true }),
    heldColumn("Networks"),
  ],
  Network: [
    plain("account", "Account", (row) => as<"Network">(row).spec?.account, { width: "minmax(124px, 1fr)" }),
    region,
    plain("cidr", "Address range", rangeOf, {
      width: "112px",
      render: (row): ReactNode => <span className="cw-mono">{rangeOf(row)}</span>,
    }),
    heldColumn("Clusters"),
    plain("zones", "Zones", (row) => as<"Network">(row).spec?.zones?.length ?? 0, {
      width: "72px",
      isNumber: true,
      optional: true,
      order: (row) => as<"Network">(row).spec?.zones?.length ?? 0,
    }),
  ],
  Cluster: [
    plain("version", "Version", (row) => as<"Cluster">(row).status?.version || as<"Cluster">(row).spec?.version || "latest", {
      width: "76px",
    }),
    plain("nodes", "Nodes", (row) => `${as<"Cluster">(row).status?.readyNodes ?? 0}/${wantedNodesOf(as<"Cluster">(row))}`, {
      width: "104px",
      order: (row) => wantedNodesOf(as<"Cluster">(row)),
      render: (row) => <NodesMeter cluster={as<"Cluster">(row)} />,
    }),
    plain("network", "Network", (row) => as<"Cluster">(row).spec?.network),
    region,
  ],
  Storage: [
    plain("cluster", "Cluster", (row) => as<"Storage">(row).spec?.cluster),
    plain("type", "Type", (row) =>
      as<"Storage">(row).spec?.volume === undefined ? "bucket" : `volume, ${as<"Storage">(row).spec?.volume?.sizeGib ?? 0} GiB`,
    ),
    region,
  ],
  Environment: [
    plain("description", "Description", (row) => as<"Environment">(row).spec?.description, { width: "minmax(0, 3fr)" }),
    heldColumn("Entities"),
  ],
};

const environment = plain("environment", "Environment", ({ entity }) => entity.metadata.environment, {
  width: "minmax(108px, .8fr)",
});

const labels = plain(
  "labels",
  "Labels",
  ({ entity }) =>
    Object.entries(entity.metadata.labels ?? {})
      .map(([key, value]) => `${key}=${value}`)
      .join(" "),
  { optional: true },
);

const changed: Column<Row> = {
  id: "changed",
  title: "Changed",
  width: "100px",
  wide: true,
  text: ({ entity }) => entity.metadata.updatedAt ?? "",
  render: ({ entity }) => (
    <span className="cw-muted">
      <Age at={entity.metadata.updatedAt} />
    </span>
  ),
};
