import { Button } from "@mantine/core";
import type { AnyEntity } from "@cloudwright/api-client";
import { Link } from "@tanstack/react-router";
import { useEffect, useRef, type ReactNode } from "react";
import { client } from "../../data/client.ts";
import { pathOf } from "../../data/paths.ts";
import { useLook, type Look } from "../../data/use-look.ts";
import { Icon } from "../../design/icons.tsx";
import { FaultNote, Note, Panel } from "../../design/layout.tsx";
import type { CreatableKind } from "./creatable.ts";
import { labelField } from "./field-labels.ts";
import { Findings } from "./findings.tsx";
import { PreviewList } from "./preview-list.tsx";
import { isObstacle, listFindings } from "./weigh-look.ts";

/** The last step of the form: preflight checks and, for kinds that support it, a preview of the plan. */
export function CheckStep(props: {
  readonly kind: CreatableKind;
  readonly project: string;
  readonly entity: AnyEntity;
  readonly look: Look;
  readonly onGo: (field: string) => void;
}): ReactNode {
  const { kind, project, entity, look, onGo } = props;
  const heading = useRef<HTMLHeadingElement>(null);
  // Moves the focus to the heading for keyboard and screen reader users.
  useEffect(() => heading.current?.focus(), []);
  return (
    <>
      <Panel
        title={
          <span ref={heading} tabIndex={-1}>
            Preflight checks
          </span>
        }
        actions={
          <Button
            variant="default"
            size="xs"
            leftSection={<Icon name="retry" size={14} />}
            loading={look.state === "busy"}
            onClick={look.begin}
          >
            Check again
          </Button>
        }
      >
        <div className="cw-stack" role="status">
          <Outcome kind={kind} project={project} look={look} onGo={onGo} />
        </div>
      </Panel>
      {kind === "Cluster" && <Plan project={project} entity={entity} />}
    </>
  );
}

function Outcome(props: {
  readonly kind: CreatableKind;
  readonly project: string;
  readonly look: Look;
  readonly onGo: (field: string) => void;
}): ReactNode {
  const { kind, project, look, onGo } = props;
  const findings = listFindings(look);
  if (look.state === "idle" || look.state === "busy")
    return (
      <>
        <span className="cw-muted">Checking permissions, quotas, zones, machine types, versions, addresses and names…</span>
        {look.isSlow && (
          <Note tone="warn">
            <p>
              This is taking long: {look.status?.message ?? "the operation has not started yet"}. You can create it without
              waiting for the result.
            </p>
          </Note>
        )}
      </>
    );
  if (look.state === "failed" && findings.length === 0)
    return (
      <>
        <Note tone="warn">
          <p>The preflight checks could not run. They run again before anything is created.</p>
        </Note>
        {look.error === undefined ? (
          <Note tone="bad">
            <p>{look.status?.message}</p>
            {(look.status?.code ?? "") !== "" && (
              <p className="cw-muted cw-small">
                <code>{look.status?.code}</code> <Link to={pathOf(project, "operations")}>Show operations</Link>
              </p>
            )}
          </Note>
        ) : (
          <FaultNote error={look.error} />
        )}
      </>
    );
  return (
    <>
      {!findings.some(isObstacle) && (
        <Note tone="good">
          <p>All checks passed.</p>
        </Note>
      )}
      {findings.length > 0 && <Findings of={findings} labelOf={(field) => labelField(kind, field)} onGo={onGo} />}
    </>
  );
}

/** Previews the plan without applying it. It takes a while, so it starts only on request. */
function Plan({ project, entity }: { readonly project: string; readonly entity: AnyEntity }): ReactNode {
  const name = entity.metadata?.name ?? "";
  const resource = client.resource("Cluster", { project });
  const look = useLook(() => resource.act(name, "preview", { body: entity, allowMissing: true, replayable: false }));
  return (
    <Panel
      title="Preview"
      actions={
        <Button variant="default" size="xs" loading={look.state === "busy"} onClick={look.begin}>
          {look.state === "idle" ? "Show preview" : "Refresh preview"}
        </Button>
      }
    >
      {look.state === "idle" && (
        <span className="cw-muted">
          Shows the infrastructure, nodes and add-ons that would be created. Nothing is created yet.
        </span>
      )}
      {look.state === "busy" && <span className="cw-muted">{look.status?.message ?? "Planning…"}</span>}
      {look.state === "failed" &&
        (look.error === undefined ? (
          <Note tone="bad">
            <p>{look.status?.message}</p>
          </Note>
        ) : (
          <FaultNote error={look.error} />
        ))}
      {look.state === "done" && <PreviewList of={look.status?.preview ?? []} />}
    </Panel>
  );
}
