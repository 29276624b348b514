import type { RunJson } from "@cloudwright/api-client";
import { Link } from "@tanstack/react-router";
import { useMemo, type ReactNode } from "react";
import { pathOf } from "../../data/paths.ts";
import { useProject } from "../../data/project.ts";
import type { Column } from "../../design/arrange-rows.ts";
import { DataTable } from "../../design/data-table.tsx";
import { Empty } from "../../design/layout.tsx";
import { Phase } from "../../design/status.tsx";
import { Age } from "../../design/time.tsx";
import { Counts } from "../run/counts.tsx";

/** Runs of Terraform, newest first. */
export function RunTable({ runs, isLoading }: { readonly runs: readonly RunJson[]; readonly isLoading: boolean }): ReactNode {
  const project = useProject();
  const columns = useMemo(() => columnsOf(project), [project]);
  if (isLoading) return <div style={{ height: 300 }} aria-busy="true" />;
  return (
    <DataTable
      label="Runs"
      rows={runs}
      columns={columns}
      keyOf={({ uid }) => uid ?? ""}
      empty={
        <Empty icon="run" title="No runs yet">
          A run is one pass of Terraform: a plan, and what became of it.
        </Empty>
      }
    />
  );
}

function columnsOf(project: string): readonly Column<RunJson>[] {
  return [
    {
      id: "of",
      title: "Of",
      width: "minmax(150px, 1.3fr)",
      text: ({ entityName, entityKind }) => `${entityName ?? ""} ${entityKind?.toLowerCase() ?? ""}`,
      render: (run) => (
        <Link className="cw-name" to={pathOf(project, "runs", run.uid ?? "")}>
          {run.entityName} <span className="cw-muted">{run.entityKind?.toLowerCase()}</span>
        </Link>
      ),
    },
    {
      id: "state",
      title: "State",
      width: "150px",
      text: ({ state }) => state ?? "",
      render: ({ state }) => <Phase state={state} work />,
    },
    { id: "purpose", title: "Does", width: "90px", wide: true, text: ({ purpose }) => purpose ?? "" },
    {
      id: "counts",
      title: "Plan",
      width: "150px",
      wide: true,
      text: ({ counts }) => String((counts?.create ?? 0) + (counts?.update ?? 0)),
      render: ({ counts }) => <Counts of={counts} />,
    },
    { id: "message", title: "In words", width: "minmax(0, 1.5fr)", wide: true, text: ({ message }) => message ?? "" },
    {
      id: "when",
      title: "Began",
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
