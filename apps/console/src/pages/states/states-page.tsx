import type { StateJson } from "@cloudwright/api-client";
import { useQuery } from "@tanstack/react-query";
import { useMemo, type ReactNode } from "react";
import { pathOf } from "../../data/paths.ts";
import { useProject } from "../../data/project.ts";
import { useSimulated } from "../../data/use-simulated.ts";
import { statesQuery } from "../../data/queries.ts";
import type { Column } from "../../design/arrange-rows.ts";
import { DataTable } from "../../design/data-table.tsx";
import { EntityLabel } from "../../design/entity-label.tsx";
import { Empty, FaultNote, Page, Panel } from "../../design/layout.tsx";
import { Loading } from "../../design/loading.tsx";
import { Tag } from "../../design/status.tsx";
import { Age } from "../../design/time.tsx";
import { iconOfKind, nounOf } from "../../kinds/registry.ts";

/** Lists the Terraform states of the project. */
export function StatesPage(): ReactNode {
  const project = useProject();
  const isSimulated = useSimulated();
  const { data, error } = useQuery(statesQuery(project));
  const columns = useMemo(() => columnsOf(project, isSimulated), [project, isSimulated]);
  return (
    <Page title="States" sub="Terraform's record of each entity's infrastructure. All versions are encrypted.">
      <FaultNote error={error} />
      <Panel flush>
        {data === undefined ? (
          <Loading />
        ) : (
          <DataTable
            label="States"
            rows={data}
            columns={columns}
            keyOf={({ entityUid }) => entityUid ?? ""}
            empty={
              <Empty icon="state" title="No states yet">
                An entity's state appears here after its first run.
              </Empty>
            }
          />
        )}
      </Panel>
    </Page>
  );
}

function columnsOf(project: string, isSimulated: ReturnType<typeof useSimulated>): readonly Column<StateJson>[] {
  return [
    {
      id: "of",
      title: "Entity",
      width: "minmax(150px, 1.5fr)",
      text: ({ entityName }) => entityName ?? "",
      render: (state) => (
        <EntityLabel
          icon={iconOfKind(state.entityKind ?? "")}
          name={state.entityName ?? ""}
          to={pathOf(project, "states", state.entityUid ?? "")}
          simulated={isSimulated(state.entityKind, state.entityUid)}
        />
      ),
    },
    {
      id: "kind",
      title: "Kind",
      width: "120px",
      wide: true,
      text: ({ entityKind }) => nounOf(entityKind ?? ""),
    },
    {
      id: "version",
      title: "Version",
      width: "90px",
      isNumber: true,
      text: ({ newest }) => String(newest?.version ?? 0),
      order: ({ newest }) => newest?.version ?? 0,
    },
    {
      id: "resources",
      title: "Resources",
      width: "110px",
      isNumber: true,
      text: ({ newest }) => String(newest?.resources ?? 0),
      order: ({ newest }) => newest?.resources ?? 0,
    },
    {
      id: "size",
      title: "Size",
      width: "100px",
      isNumber: true,
      wide: true,
      text: ({ newest }) => `${Math.ceil((newest?.sizeBytes ?? 0) / 1024)} KiB`,
      order: ({ newest }) => newest?.sizeBytes ?? 0,
    },
    {
      id: "lock",
      title: "Lock",
      width: "120px",
      wide: true,
      text: ({ lock }) => (lock === undefined ? "" : "locked"),
      render: ({ lock }) => (lock === undefined ? <span className="cw-muted">–</span> : <Tag tone="busy">locked</Tag>),
    },
    {
      id: "when",
      title: "Written",
      width: "120px",
      wide: true,
      text: ({ newest }) => newest?.createdAt ?? "",
      render: ({ newest }) => (
        <span className="cw-muted">
          <Age at={newest?.createdAt} />
        </span>
      ),
    },
  ];
}
