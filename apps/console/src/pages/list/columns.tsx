import type { AnyEntity, KindName } from "@cloudwright/api-client";
import { getKind } from "@cloudwright/contract/kinds";
import { describeDrift, driftOf } from "../../data/drift-state.ts";
import { hasCondition, phaseOf } from "../../data/entity-state.ts";
import { entityPath } from "../../data/paths.ts";
import type { Column } from "../../design/arrange-rows.ts";
import { EntityLabel } from "../../design/entity-label.tsx";
import { Phase, Tag } from "../../design/status.tsx";
import { Age } from "../../design/time.tsx";
import { textColumn } from "../../kinds/columns.tsx";
import type { KindView, ListView, Row } from "../../kinds/kind-view.ts";
import { iconOfKind } from "../../kinds/registry.ts";
import { DriftTag } from "../drift/drift-tag.tsx";

/** Returns the columns of a kind's list: the common ones and the kind-specific ones. */
export function columnsOf({ kind, list, form }: KindView & { readonly list: ListView }, project: string): readonly Column<Row>[] {
  return [
    name(kind, project),
    ...(getKind(kind).provisioned ? [phase] : []),
    ...list.columns,
    ...(getKind(kind).hasDriftChecks === true ? [drift] : []),
    ...(form.hasEnvironment ? [environment] : []),
    labels,
    { ...changed, optional: list.isAlwaysChanging === true },
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

/** Returns short warnings to show next to an entity's phase. */
export function marksOf(entity: AnyEntity, withApproval = true): string[] {
  return [
    ...(entity.metadata?.paused === true ? ["paused"] : []),
    ...(hasCondition(entity, "Drifted") ? ["drifted"] : []),
    ...(withApproval && hasCondition(entity, "ApprovalNeeded") ? ["needs approval"] : []),
  ];
}

const drift: Column<Row> = {
  id: "drift",
  title: "Drift",
  width: "minmax(150px, 1fr)",
  wide: true,
  optional: true,
  text: ({ entity }) => describeDrift(driftOf(entity)).word,
  render: ({ entity }) => <DriftTag entity={entity} />,
};

const environment = textColumn("environment", "Environment", ({ entity }) => entity.metadata.environment, {
  width: "minmax(108px, .8fr)",
});

const labels = textColumn(
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
