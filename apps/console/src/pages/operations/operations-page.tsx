import type { EntityByKind, Stored } from "@cloudwright/api-client";
import { useMemo, type ReactNode } from "react";
import { useEntities, useLive } from "../../data/live.tsx";
import { operationState } from "../../data/operation-state.ts";
import { pathOf } from "../../data/paths.ts";
import { useProject } from "../../data/project.ts";
import { describeOperation } from "../../data/describe-operation.ts";
import { subjectOf } from "../../data/subject-of.ts";
import { useSimulated } from "../../data/use-simulated.ts";
import type { Column } from "../../design/arrange-rows.ts";
import { DataTable } from "../../design/data-table.tsx";
import { EntityLabel } from "../../design/entity-label.tsx";
import { Empty, Page, Panel } from "../../design/layout.tsx";
import { Loading } from "../../design/loading.tsx";
import { Phase } from "../../design/status.tsx";
import { Age, describeDuration, wordsOf } from "../../design/time.tsx";
import { iconOfKind, nounOf } from "../../kinds/registry.ts";

type Operation = Stored<EntityByKind["Operation"]>;

/** Lists all operations. Those in progress come first. */
export function OperationsPage(): ReactNode {
  const project = useProject();
  const operations = useEntities("Operation");
  const isSimulated = useSimulated();
  const synced = useLive((state) => state.synced);
  const columns = useMemo(() => columnsOf(project, isSimulated), [project, isSimulated]);
  const newest = useMemo(
    () => operations.toSorted((a, b) => (b.metadata.createdAt ?? "").localeCompare(a.metadata.createdAt ?? "")),
    [operations],
  );
  return (
    <Page title="Operations" sub="Every change to the infrastructure, from request to completion">
      <Panel flush>
        {!synced && <Loading />}
        {synced && (
          <DataTable
            label="Operations"
            rows={newest}
            columns={columns}
            keyOf={({ metadata }) => metadata.uid}
            empty={
              <Empty icon="operation" title="No operations yet">
                Creating, changing or deleting an entity starts one.
              </Empty>
            }
          />
        )}
      </Panel>
    </Page>
  );
}

function columnsOf(project: string, isSimulated: ReturnType<typeof useSimulated>): readonly Column<Operation>[] {
  return [
    {
      id: "what",
      title: "Operation",
      width: "minmax(270px, 1.5fr)",
      text: ({ spec }) => describeOperation(spec, nounOf),
      render: ({ metadata, spec }) => (
        <EntityLabel
          icon={iconOfKind(subjectOf(spec).kind)}
          name={describeOperation(spec)}
          to={pathOf(project, "operations", metadata.name)}
          simulated={isSimulated(spec?.entityKind, spec?.entityUid)}
        />
      ),
    },
    {
      id: "state",
      title: "State",
      width: "150px",
      text: (operation) => operationState(operation),
      render: (operation) => <Phase state={operationState(operation)} work />,
    },
    {
      id: "message",
      title: "Summary",
      width: "minmax(160px, 2fr)",
      wide: true,
      text: ({ status }) => (status?.message === "done" ? "" : wordsOf(status?.message)),
    },
    { id: "actor", title: "User", width: "96px", wide: true, text: ({ spec }) => spec?.actor || "platform" },
    {
      id: "took",
      title: "Duration",
      width: "104px",
      wide: true,
      isNumber: true,
      text: (each) => tookOf(each),
      order: (each) => durationOf(each),
    },
    {
      id: "when",
      title: "Started",
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
