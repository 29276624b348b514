import type { EntityByKind, Stored } from "@cloudwright/api-client";
import { Link } from "@tanstack/react-router";
import { useMemo, type ReactNode } from "react";
import { useEntities } from "../../data/live.tsx";
import { pathOf } from "../../data/paths.ts";
import { useProject } from "../../data/project.ts";
import type { Column } from "../../design/arrange-rows.ts";
import { DataTable } from "../../design/data-table.tsx";
import { Empty, Page, Panel } from "../../design/layout.tsx";
import { Phase } from "../../design/status.tsx";
import { Age, describeDuration } from "../../design/time.tsx";

type Operation = Stored<EntityByKind["Operation"]>;

/** All changes that needed work: those going on first. */
export function OperationsPage(): ReactNode {
  const project = useProject();
  const operations = useEntities("Operation");
  const columns = useMemo(() => columnsOf(project), [project]);
  const newest = useMemo(
    () => operations.toSorted((a, b) => (b.metadata.createdAt ?? "").localeCompare(a.metadata.createdAt ?? "")),
    [operations],
  );
  return (
    <Page title="Operations" sub="One for each change that needs work, from the call to its end">
      <Panel flush>
        <DataTable
          label="Operations"
          rows={newest}
          columns={columns}
          keyOf={({ metadata }) => metadata.uid}
          empty={
            <Empty icon="operation" title="No operations yet">
              They begin by themselves when something is created, changed or deleted.
            </Empty>
          }
        />
      </Panel>
    </Page>
  );
}

function columnsOf(project: string): readonly Column<Operation>[] {
  return [
    {
      id: "what",
      title: "What",
      width: "minmax(180px, 1.6fr)",
      text: ({ spec }) => `${spec?.verb ?? ""} ${spec?.entityKind?.toLowerCase() ?? ""} ${spec?.entityName ?? ""}`,
      render: ({ metadata, spec }) => (
        <Link className="cw-name" to={pathOf(project, "operations", metadata.name)}>
          <span className="cw-muted">{spec?.verb}</span> {spec?.entityName}{" "}
          <span className="cw-muted">{spec?.entityKind?.toLowerCase()}</span>
        </Link>
      ),
    },
    {
      id: "state",
      title: "State",
      width: "130px",
      text: ({ status }) => status?.state ?? "",
      render: ({ status }) => <Phase state={status?.state} work />,
    },
    { id: "message", title: "In words", width: "minmax(0, 2fr)", wide: true, text: ({ status }) => status?.message ?? "" },
    { id: "actor", title: "By", width: "110px", wide: true, text: ({ spec }) => spec?.actor || "platform" },
    { id: "took", title: "Took", width: "90px", wide: true, text: (each) => tookOf(each), order: (each) => durationOf(each) },
    {
      id: "when",
      title: "Began",
      width: "110px",
      wide: true,
      text: ({ metadata }) => metadata.createdAt ?? "",
      render: ({ metadata }) => (
        <span className="cw-muted">
          <Age at={metadata.createdAt} />
        </span>
      ),
    },
  ];
}

function durationOf({ metadata, status }: Operation): number {
  return status?.endedAt === undefined ? 0 : Date.parse(status.endedAt) - Date.parse(metadata.createdAt ?? status.endedAt);
}

function tookOf(operation: Operation): string {
  return operation.status?.endedAt === undefined ? "" : describeDuration(durationOf(operation));
}
