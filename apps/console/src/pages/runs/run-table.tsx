import type { RunJson } from "@cloudwright/api-client";
import { useMemo, type ReactNode } from "react";
import { pathOf } from "../../data/paths.ts";
import { useProject } from "../../data/project.ts";
import { useSimulated } from "../../data/use-simulated.ts";
import type { Column } from "../../design/arrange-rows.ts";
import { DataTable } from "../../design/data-table.tsx";
import { EntityLabel } from "../../design/entity-label.tsx";
import { Empty } from "../../design/layout.tsx";
import { Loading } from "../../design/loading.tsx";
import { Phase } from "../../design/status.tsx";
import { Age, wordsOf } from "../../design/time.tsx";
import { iconOfKind, nounOf } from "../../kinds/registry.ts";
import { Counts } from "../run/counts.tsx";

/** Lists Terraform runs, newest first. */
export function RunTable({ runs, isLoading }: { readonly runs: readonly RunJson[]; readonly isLoading: boolean }): ReactNode {
  const project = useProject();
  const isSimulated = useSimulated();
  const columns = useMemo(() => columnsOf(project, isSimulated), [project, isSimulated]);
  if (isLoading) return <Loading />;
  return (
    <DataTable
      label="Runs"
      rows={runs}
      columns={columns}
      keyOf={({ uid }) => uid ?? ""}
      empty={
        <Empty icon="run" title="No runs yet">
          A run is one Terraform plan and its result.
        </Empty>
      }
    />
  );
}

function columnsOf(project: string, isSimulated: ReturnType<typeof useSimulated>): readonly Column<RunJson>[] {
  return [
    {
      id: "of",
      title: "Entity",
      width: "minmax(220px, 1.3fr)",
      text: ({ entityName, entityKind }) => `${entityName ?? ""} ${nounOf(entityKind ?? "")}`,
      render: (run) => (
        <EntityLabel
          icon={iconOfKind(run.entityKind ?? "")}
          name={run.entityName ?? ""}
          to={pathOf(project, "runs", run.uid ?? "")}
          simulated={isSimulated(run.entityKind, run.entityUid)}
        />
      ),
    },
    {
      id: "state",
      title: "State",
      width: "154px",
      text: ({ state }) => state ?? "",
      render: ({ state }) => <Phase state={state} work />,
    },
    { id: "purpose", title: "Action", width: "80px", wide: true, text: ({ purpose }) => purpose ?? "" },
    {
      id: "counts",
      title: "Plan",
      width: "130px",
      wide: true,
      text: ({ counts }) => String((counts?.create ?? 0) + (counts?.update ?? 0)),
      render: ({ counts }) => <Counts of={counts} />,
    },
    { id: "message", title: "Summary", width: "minmax(160px, 1.5fr)", wide: true, text: ({ message }) => wordsOf(message) },
    {
      id: "when",
      title: "Started",
      width: "110px",
      wide: true,
      text: ({ createdAt }) => createdAt ?? "",
      render: ({ createdAt }) => (
        <span className="cw-muted">
          <Age at={createdAt} />
        </span>
      ),
    },
  ];
}
