import type { EntityByKind, Stored } from "@cloudwright/api-client";
import { parseTaskType, type TaskAction } from "@cloudwright/contract/task-types";
import { Progress } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { pathOf } from "../../data/paths.ts";
import { useProject } from "../../data/project.ts";
import { useSimulated } from "../../data/use-simulated.ts";
import { Icon } from "../../design/icons.tsx";
import { Phase, Simulated } from "../../design/status.tsx";
import { Age } from "../../design/time.tsx";
import { iconOfKind } from "../../kinds/registry.ts";

type Task = Stored<EntityByKind["Task"]>;

const mostLately = 4;

/** Lists an agent's running tasks with their progress, and its recent tasks. */
export function AgentWork({ tasks }: { readonly tasks: readonly Task[] }): ReactNode {
  const now = tasks.filter(({ status }) => status?.state === "LEASED");
  const lately = tasks.filter(({ status }) => status?.endedAt !== undefined).slice(0, mostLately);
  return (
    <>
      <h3 className="cw-heading">Running tasks</h3>
      {now.length === 0 && <div className="cw-muted cw-small">No running tasks in this project.</div>}
      {now.map((task) => (
        <div key={task.metadata.uid} className="cw-task">
          <TaskLine task={task} />
          <Progress
            value={task.status?.progressPercent ?? 0}
            size={4}
            aria-label={`Progress of ${task.spec?.type ?? ""} ${task.spec?.entityName ?? ""}`}
          />
          {(task.status?.message ?? "") !== "" && <div className="cw-muted cw-small cw-cut">{task.status?.message}</div>}
        </div>
      ))}
      {lately.length > 0 && <h3 className="cw-heading">Recent activity</h3>}
      {lately.map((task) => (
        <div key={task.metadata.uid} className="cw-task">
          <TaskLine task={task} />
        </div>
      ))}
    </>
  );
}

function TaskLine({ task: { spec, status } }: { readonly task: Task }): ReactNode {
  const project = useProject();
  const isSimulated = useSimulated();
  const action = parseTaskType(spec?.type ?? "")?.action;
  const words = `${action === undefined ? (spec?.type ?? "") : verbs[action]} ${spec?.entityName ?? ""}`;
  return (
    <div className="cw-entity">
      <Icon name={iconOfKind(spec?.entityKind ?? "")} size={15} />
      {spec?.operation ? (
        <Link className="cw-name" to={pathOf(project, "operations", spec.operation)}>
          {words}
        </Link>
      ) : (
        <span className="cw-name">{words}</span>
      )}
      <Simulated is={isSimulated(spec?.entityKind, spec?.entityUid)} />
      <span className="cw-muted cw-small" style={{ marginLeft: "auto" }}>
        {status?.state === "FAILED" && <Phase state="FAILED" />} <Age at={status?.endedAt ?? status?.startedAt} />
      </span>
    </div>
  );
}

const verbs: Readonly<Record<TaskAction, string>> = {
  verify: "Verify",
  replaceKey: "Replace an SSH key on",
  discover: "List clusters in",
  manageImages: "Manage the images of",
  preflight: "Run preflight checks for",
  listFindings: "Run preflight checks for",
  plan: "Plan",
  preview: "Preview",
  apply: "Apply",
  destroy: "Destroy",
  findDrift: "Check for drift in",
  adoptResource: "Adopt a resource into",
  forgetResource: "Forget a resource of",
  access: "Create credentials for",
  addOns: "Install add-ons in",
  token: "Get a token for",
  gates: "Check nodes and upgrade gates of",
  readHostKeys: "Record the host keys of",
  readConsole: "Read the log of",
};
