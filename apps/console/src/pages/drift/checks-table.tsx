import { useMemo, type ReactNode } from "react";
import { checkedKinds, describeDrift, driftOf, isCheckable } from "../../data/drift-state.ts";
import type { LiveState } from "../../data/live-store.ts";
import { entityPath } from "../../data/paths.ts";
import { useProject } from "../../data/project.ts";
import type { Placed } from "../../data/references.ts";
import { useSimulated } from "../../data/use-simulated.ts";
import type { Column } from "../../design/arrange-rows.ts";
import { DataTable } from "../../design/data-table.tsx";
import { EntityLabel } from "../../design/entity-label.tsx";
import { Panel } from "../../design/layout.tsx";
import { Age } from "../../design/time.tsx";
import { iconOfKind, nounOf } from "../../kinds/registry.ts";
import { DriftTag } from "./drift-tag.tsx";

/** Lists every entity that can be checked for drift, with the time and result of its last check. */
export function ChecksTable({ kinds }: { readonly kinds: LiveState["kinds"] }): ReactNode {
  const project = useProject();
  const isSimulated = useSimulated();
  const columns = useMemo(() => columnsOf(project, isSimulated), [project, isSimulated]);
  const rows = useMemo(
    () =>
      checkedKinds.flatMap((kind): Placed[] =>
        [...(kinds[kind]?.values() ?? [])].filter(isCheckable).map((entity) => ({ kind, entity })),
      ),
    [kinds],
  );
  return (
    <Panel title="Last checks" flush>
      <DataTable
        label="Last checks"
        rows={rows}
        columns={columns}
        keyOf={({ entity }) => entity.metadata.uid}
        initialSort={{ id: "result", down: false }}
        empty={null}
      />
    </Panel>
  );
}

function columnsOf(project: string, isSimulated: ReturnType<typeof useSimulated>): readonly Column<Placed>[] {
  return [
    {
      id: "name",
      title: "Entity",
      width: "minmax(190px, 2fr)",
      text: ({ kind, entity }) => `${entity.metadata.name} ${nounOf(kind)}`,
      render: ({ kind, entity: { metadata } }) => (
        <EntityLabel
          icon={iconOfKind(kind)}
          name={metadata.name}
          to={entityPath(project, kind, metadata.name, metadata.parent)}
          simulated={isSimulated(kind, metadata.uid)}
        />
      ),
    },
    {
      id: "result",
      title: "Result",
      width: "minmax(150px, 1.5fr)",
      text: ({ entity }) => describeDrift(driftOf(entity)).word,
      // Entities that need attention come first.
      order: ({ entity }) => order.indexOf(driftOf(entity).state),
      render: ({ entity }) => <DriftTag entity={entity} />,
    },
    {
      id: "checked",
      title: "Checked",
      width: "110px",
      wide: true,
      text: ({ entity }) => driftOf(entity).checkedAt ?? "",
      render: ({ entity }) => (
        <span className="cw-muted">
          <Age at={driftOf(entity).checkedAt} />
        </span>
      ),
    },
  ];
}

const order = ["DRIFTED", "CHECK_FAILED", "NEVER_CHECKED", "OUTDATED", "IN_SYNC"];
