import { Button } from "@mantine/core";
import type { EntityByKind, Stored } from "@cloudwright/api-client";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { client } from "../../data/client.ts";
import { describeOperation } from "../../data/describe-operation.ts";
import { useEntity } from "../../data/live.tsx";
import { findEntityPath, pathOf } from "../../data/paths.ts";
import { useCan } from "../../data/permissions.ts";
import { useProject } from "../../data/project.ts";
import { runsQuery, timelineQuery } from "../../data/queries.ts";
import { Icon } from "../../design/icons.tsx";
import { Empty, Facts, Note, Page, Panel } from "../../design/layout.tsx";
import { Phase } from "../../design/status.tsx";
import { Age, describeDuration } from "../../design/time.tsx";
import { toastFault } from "../../design/toasts.tsx";
import { Findings } from "../../preflight/findings.tsx";
import { PreviewList } from "../../preflight/preview-list.tsx";
import { Resources } from "../run/resources/resources.tsx";
import { nounOf } from "../../kinds/registry.ts";
import { OperationEvents } from "./operation-events.tsx";
import { Logs } from "./logs.tsx";
import { listTasks } from "./list-tasks.ts";
import { Timeline } from "./timeline.tsx";

type Operation = Stored<EntityByKind["Operation"]>;

/** Shows an operation with its steps, resources, timeline and logs. */
export function OperationPage(): ReactNode {
  const { name = "" } = useParams({ strict: false });
  const project = useProject();
  const operation = useEntity("Operation", name);
  if (operation === undefined)
    return (
      <Page title={name}>
        <div style={{ height: 400 }} aria-busy="true" />
      </Page>
    );
  if (operation === null)
    return (
      <Page title={name}>
        <Panel>
          <Empty
            icon="operation"
            title="No such operation"
            action={
              <Button component={Link} to={pathOf(project, "operations")} variant="default">
                All operations
              </Button>
            }
          >
            Operations are kept for 30 days.
          </Empty>
        </Panel>
      </Page>
    );
  return <OperationView key={name} project={project} operation={operation} />;
}

function OperationView({ project, operation }: { readonly project: string; readonly operation: Operation }): ReactNode {
  const { metadata, spec, status } = operation;
  const can = useCan();
  const [isBusy, setBusy] = useState(false);
  const state = status?.state ?? "WAITING";
  // Users repeat a preview or preflight on the page that started it, so this page does not offer a retry.
  const isDryRun = spec?.verb === "preview" || spec?.verb === "preflight";
  const isOver = ["DONE", "FAILED", "CANCELLED"].includes(state);
  const { data: runs } = useQuery(runsQuery(project, spec?.entityUid));
  const run = runs?.find((each) => each.operation === metadata.name);
  const act = async (verb: "cancel" | "retry"): Promise<void> => {
    setBusy(true);
    await client.operations[verb](project, metadata.name).catch(toastFault);
    setBusy(false);
  };
  const { data: timeline = [] } = useQuery(timelineQuery(project, metadata.name));
  const tasks = listTasks(status?.steps ?? [], timeline, isOver);
  const title = describeOperation(spec, nounOf);
  const entityTo = findEntityPath(project, spec?.entityKind, spec?.entityName);
  const began = metadata.createdAt ?? "";
  return (
    <Page
      name={title}
      title={
        <span className="cw-row">
          <span>{title}</span>
          <Phase state={state} work />
        </span>
      }
      crumbs={
        <>
          <Link className="cw-link" to={pathOf(project, "operations")}>
            operations
          </Link>
          <Icon name="chevron" size={13} />
          <span aria-current="page">{metadata.name}</span>
        </>
      }
      actions={
        <>
          {entityTo !== undefined && spec?.verb !== "delete" && (
            <Button component={Link} to={entityTo} variant="default">
              Show {nounOf(spec?.entityKind ?? "")}
            </Button>
          )}
          {!isOver && can("Operation", "cancel") && (
            <Button
              color="red"
              variant="light"
              loading={isBusy}
              onClick={() => void act("cancel")}
              leftSection={<Icon name="cross" size={15} />}
            >
              Cancel
            </Button>
          )}
          {(state === "FAILED" || state === "CANCELLED") && !isDryRun && can("Operation", "retry") && (
            <Button loading={isBusy} onClick={() => void act("retry")} leftSection={<Icon name="retry" size={15} />}>
              Retry
            </Button>
          )}
        </>
      }
    >
      <div className="cw-stack">
        {run?.state === "NEEDS_APPROVAL" && (
          <Note tone="warn">
            <p>
              The plan needs approval. <Link to={pathOf(project, "runs", run.uid ?? "")}>Review plan</Link>
            </p>
          </Note>
        )}
        {state === "FAILED" && (
          <Note tone="bad">
            <p>{status?.message}</p>
            {status?.code !== undefined && status.code !== "" && (
              <p className="cw-small cw-muted">
                <code>{status.code}</code>
              </p>
            )}
            {(status?.left?.length ?? 0) > 0 && (
              <ul>
                {status?.left?.map((item) => (
                  <li key={item}>{item}</li>
                ))}
              </ul>
            )}
          </Note>
        )}
        {(status?.findings?.length ?? 0) > 0 && (
          <Panel title="Findings">
            <Findings of={status?.findings ?? []} />
          </Panel>
        )}
        {(status?.abandoned?.length ?? 0) > 0 && (
          <Note tone="warn">
            <p>The deletion left these resources in the cloud. The platform no longer manages them.</p>
            <ul>
              {status?.abandoned?.map((item) => (
                <li key={item}>{item}</li>
              ))}
            </ul>
          </Note>
        )}
        {(status?.preview?.length ?? 0) > 0 && (
          <Panel title="Preview">
            <PreviewList of={status?.preview ?? []} />
          </Panel>
        )}
        {!isOver && status?.message !== undefined && status.message !== "" && (
          <Note tone="busy">
            <p>{status.message}</p>
          </Note>
        )}
        <Timeline project={project} operation={operation} isOver={isOver} />
        {run !== undefined && <Resources project={project} run={run} isOver={isOver} />}
        <div className="cw-grid">
          <div className="cw-stack" data-span={8}>
            <Logs project={project} tasks={tasks} isOver={isOver} />
          </div>
          <div className="cw-stack" data-span={4}>
            <Panel title="Details">
              <Facts
                of={[
                  ["Requested by", spec?.actor || "the platform"],
                  ["Started", <Age key="began" at={began} />],
                  [
                    "Duration",
                    status?.endedAt === undefined ? "" : describeDuration(Date.parse(status.endedAt) - Date.parse(began)),
                  ],
                  ["Retries", spec?.retries ? String(spec.retries) : ""],
                  ["Allowed", spec?.allow?.join(", ")],
                  [
                    "Run",
                    run === undefined ? (
                      ""
                    ) : (
                      <Link to={pathOf(project, "runs", run.uid ?? "")}>
                        {run.purpose}, {(run.state ?? "").toLowerCase().replaceAll("_", " ")}
                      </Link>
                    ),
                  ],
                ]}
              />
            </Panel>
            <OperationEvents project={project} operation={metadata.name} />
          </div>
        </div>
      </div>
    </Page>
  );
}
