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

/** The last step of a form: what would stand in the way, and of a cluster what would be made. */
export function CheckStep(props: {
  readonly kind: CreatableKind;
  readonly project: string;
  readonly entity: AnyEntity;
  readonly look: Look;
  readonly onGo: (field: string) => void;
}): ReactNode {
  const { kind, project, entity, look, onGo } = props;
  const heading = useRef<HTMLHeadingElement>(null);
  // Who came by keys or hears the page goes on from here.
  useEffect(() => heading.current?.focus(), []);
  return (
    <>
      <Panel
        title={
          <span ref={heading} tabIndex={-1}>
            Check
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
        <span className="cw-muted">Permissions, quotas, zones, machines, versions, addresses and names are looked at…</span>
        {look.isSlow && (
          <Note tone="warn">
            <p>This takes long: {look.status?.message ?? "nobody has begun yet"}. You can create it without.</p>
          </Note>
        )}
      </>
    );
  if (look.state === "failed" && findings.length === 0)
    return (
      <>
        <Note tone="warn">
          <p>The check could not be made. What you ask for is checked once more before anything is built.</p>
        </Note>
        {look.error === undefined ? (
          <Note tone="bad">
            <p>{look.status?.message}</p>
            {(look.status?.code ?? "") !== "" && (
              <p className="cw-muted cw-small">
                <code>{look.status?.code}</code> <Link to={pathOf(project, "operations")}>See the operations</Link>
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
          <p>Nothing stands in the way.</p>
        </Note>
      )}
      {findings.length > 0 && <Findings of={findings} labelOf={(field) => labelField(kind, field)} onGo={onGo} />}
    </>
  );
}

/** What would be built, by a plan that is never applied: it takes a while, and is made for who wants to see it. */
function Plan({ project, entity }: { readonly project: string; readonly entity: AnyEntity }): ReactNode {
  const name = entity.metadata?.name ?? "";
  const resource = client.resource("Cluster", { project });
  const look = useLook(() => resource.act(name, "preview", { body: entity, allowMissing: true, replayable: false }));
  return (
    <Panel
      title="What would be made"
      actions={
        <Button variant="default" size="xs" loading={look.state === "busy"} onClick={look.begin}>
          {look.state === "idle" ? "Plan it" : "Plan again"}
        </Button>
      }
    >
      {look.state === "idle" && <span className="cw-muted">Infrastructure, nodes and add-ons, without making any of it.</span>}
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
