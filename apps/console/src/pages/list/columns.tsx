import type { AnyEntity, EntityByKind, KindName, Stored } from "@cloudwright/api-client";
import type { ReactNode } from "react";
import { hasCondition, type Whereabouts } from "../../data/fleet.ts";
import { entityPath } from "../../data/paths.ts";
import type { Column } from "../../design/arrange-rows.ts";
import { RowLink } from "../../design/row-link.tsx";
import { Phase, Simulated, Tag } from "../../design/status.tsx";
import { Age } from "../../design/time.tsx";

/** An entity and where it is. */
export interface Row {
  readonly entity: Stored<AnyEntity>;
  readonly where: Whereabouts;
}

const as = <Kind extends KindName>(row: Row): EntityByKind[Kind] => row.entity as EntityByKind[Kind];

const rangeOf = (row: Row): string | undefined => {
  const { spec, status } = as<"Network">(row);
  return status?.cidr || spec?.cidr;
};

/** The columns of a kind's list. */
export function columnsOf(kind: KindName, project: string): readonly Column<Row>[] {
  return [name(kind, project), ...(kind === "Environment" ? [] : [phase]), ...(own[kind] ?? []), ...common];
}

function name(kind: KindName, project: string): Column<Row> {
  return {
    id: "name",
    title: "Name",
    width: "minmax(150px, 1.5fr)",
    text: ({ entity }) => entity.metadata.name,
    render: ({ entity, where }) => (
      <span className="cw-row" style={{ flexWrap: "nowrap", gap: 8 }}>
        <RowLink to={entityPath(project, kind, entity.metadata.name, entity.metadata.parent)}>{entity.metadata.name}</RowLink>
        <Simulated is={where.simulated} />
      </span>
    ),
  };
}

const phase: Column<Row> = {
  id: "phase",
  title: "State",
  width: "minmax(120px, .9fr)",
  text: ({ entity }) => [entity.status?.phase ?? "PENDING", ...marksOf(entity)].join(" "),
  render: ({ entity }) => (
    <span className="cw-row" style={{ flexWrap: "nowrap", gap: 6 }}>
      <Phase state={entity.status?.phase} />
      {marksOf(entity).map((mark) => (
        <Tag key={mark} tone="warn">
          {mark}
        </Tag>
      ))}
    </span>
  ),
};

/** What else is to be noticed about an entity, in a word each. */
export function marksOf(entity: AnyEntity): string[] {
  return [
    ...(entity.metadata?.paused === true ? ["paused"] : []),
    ...(hasCondition(entity, "Drifted") ? ["drifted"] : []),
    ...(hasCondition(entity, "ApprovalNeeded") ? ["needs approval"] : []),
  ];
}

const cloud: Column<Row> = { id: "cloud", title: "Cloud", width: "90px", wide: true, text: ({ where }) => where.cloud };
const region: Column<Row> = { id: "region", title: "Region", width: "130px", wide: true, text: ({ where }) => where.region };

function plain(
  id: string,
  title: string,
  text: (row: Row) => string | number | undefined,
  more: Partial<Column<Row>> = {},
): Column<Row> {
  return { id, title, wide: true, text: (row) => String(text(row) ?? ""), ...more };
}

const own: Partial<Record<KindName, readonly Column<Row>[]>> = {
  Account: [cloud],
  Network: [
    plain("account", "Account", (row) => as<"Network">(row).spec?.account),
    cloud,
    region,
    plain("cidr", "Addresses", rangeOf, {
      render: (row): ReactNode => <span className="cw-mono">{rangeOf(row)}</span>,
    }),
    plain("zones", "Zones", (row) => as<"Network">(row).spec?.zones?.length ?? 0, { width: "70px" }),
  ],
  Cluster: [
    plain("version", "Version", (row) => as<"Cluster">(row).status?.version || as<"Cluster">(row).spec?.version || "newest", {
      width: "90px",
    }),
    plain("workers", "Workers", (row) => as<"Cluster">(row).spec?.workers, {
      width: "86px",
      order: (row) => as<"Cluster">(row).spec?.workers ?? 0,
    }),
    plain("network", "Network", (row) => as<"Cluster">(row).spec?.network),
    cloud,
    region,
  ],
  Storage: [
    plain("cluster", "Cluster", (row) => as<"Storage">(row).spec?.cluster),
    plain("type", "Type", (row) =>
      as<"Storage">(row).spec?.volume === undefined ? "bucket" : `volume, ${as<"Storage">(row).spec?.volume?.sizeGib ?? 0} GiB`,
    ),
    cloud,
    region,
  ],
  Environment: [
    plain("description", "Description", (row) => as<"Environment">(row).spec?.description, { width: "minmax(0, 3fr)" }),
  ],
};

const common: readonly Column<Row>[] = [
  plain("environment", "Environment", ({ entity }) => entity.metadata.environment, { optional: true }),
  plain(
    "labels",
    "Labels",
    ({ entity }) =>
      Object.entries(entity.metadata.labels ?? {})
        .map(([key, value]) => `${key}=${value}`)
        .join(" "),
    { optional: true },
  ),
  {
    id: "changed",
    title: "Changed",
    width: "110px",
    wide: true,
    text: ({ entity }) => entity.metadata.updatedAt ?? "",
    render: ({ entity }) => (
      <span className="cw-muted">
        <Age at={entity.metadata.updatedAt} />
      </span>
    ),
  },
];
