import { Button } from "@mantine/core";
import type { AnyEntity, KindName } from "@cloudwright/api-client";
import { Link } from "@tanstack/react-router";
import { useEffect, useRef, type ReactNode } from "react";
import { client } from "../../data/client.ts";
import { pathOf } from "../../data/paths.ts";
import { useProbe, type Probe } from "../../preflight/use-probe.ts";
import { Icon } from "../../design/icons.tsx";
import { FaultNote, Note, Panel } from "../../design/layout.tsx";
import type { CreateForm } from "../../kinds/create-form.ts";
import type { KindView } from "../../kinds/kind-view.ts";
import { labelField } from "./field-labels.ts";
import { Findings } from "../../preflight/findings.tsx";
import { PreviewList } from "../../preflight/preview-list.tsx";
import { isObstacle, listFindings } from "../../preflight/assess-probe.ts";

/** The last step of the create form: preflight checks and, for kinds that support it, a preview of the plan. */
export function CheckStep(props: {
  readonly view: KindView;
  readonly project: string;
  readonly entity: AnyEntity;
  readonly probe: Probe;
  readonly onGo: (field: string) => void;
}): ReactNode {
  const { view, project, entity, probe, onGo } = props;
  const heading = useRef<HTMLHeadingElement>(null);
  // Moves the focus to the heading, for keyboard and screen reader users.
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
            loading={probe.state === "busy"}
            onClick={probe.begin}
          >
            Check again
          </Button>
        }
      >
        <div className="cw-stack" role="status">
          <Outcome form={view.form} project={project} probe={probe} onGo={onGo} />
        </div>
      </Panel>
      {view.form.hasPreview === true && <Preview kind={view.kind} project={project} entity={entity} />}
    </>
  );
}

function Outcome(props: {
  readonly form: CreateForm;
  readonly project: string;
  readonly probe: Probe;
  readonly onGo: (field: string) => void;
}): ReactNode {
  const { form, project, probe, onGo } = props;
  const findings = listFindings(probe);
  if (probe.state === "idle" || probe.state === "busy")
    return (
      <>
        <span className="cw-muted">Checking permissions, quotas, zones, machine types, versions, addresses and names…</span>
        {probe.isSlow && (
          <Note tone="warn">
            <p>
              This is taking a while: {probe.status?.message ?? "the operation has not started yet"}. You can create the entity
              without waiting for the result.
            </p>
          </Note>
        )}
      </>
    );
  if (probe.state === "failed" && findings.length === 0)
    return (
      <>
        <Note tone="warn">
          <p>The preflight checks could not run. They run again before anything is created.</p>
        </Note>
        {probe.error === undefined ? (
          <Note tone="bad">
            <p>{probe.status?.message}</p>
            {(probe.status?.code ?? "") !== "" && (
              <p className="cw-muted cw-small">
                <code>{probe.status?.code}</code> <Link to={pathOf(project, "operations")}>Show operations</Link>
              </p>
            )}
          </Note>
        ) : (
          <FaultNote error={probe.error} />
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
      {findings.length > 0 && <Findings of={findings} labelOf={(field) => labelField(form, field)} onGo={onGo} />}
    </>
  );
}

/** Previews the plan without applying it. A preview takes a while, so it starts only on request. */
function Preview(props: { readonly kind: KindName; readonly project: string; readonly entity: AnyEntity }): ReactNode {
  const { kind, project, entity } = props;
  const name = entity.metadata?.name ?? "";
  const resource = client.resource<KindName>(kind, { project });
  const probe = useProbe((onWarning) =>
    resource.act(name, "preview", { body: entity, allowMissing: true, replayable: false, onWarning }),
  );
  return (
    <Panel
      title="Preview"
      actions={
        <Button variant="default" size="xs" loading={probe.state === "busy"} onClick={probe.begin}>
          {probe.state === "idle" ? "Show preview" : "Refresh preview"}
        </Button>
      }
    >
      {probe.state === "idle" && (
        <span className="cw-muted">
          Shows the infrastructure, nodes and add-ons that would be created. Nothing is created yet.
        </span>
      )}
      {probe.state === "busy" && <span className="cw-muted">{probe.status?.message ?? "Planning…"}</span>}
      {probe.state === "failed" &&
        (probe.error === undefined ? (
          <Note tone="bad">
            <p>{probe.status?.message}</p>
          </Note>
        ) : (
          <FaultNote error={probe.error} />
        ))}
      {probe.state === "done" && <PreviewList of={probe.status?.preview ?? []} />}
    </Panel>
  );
}
