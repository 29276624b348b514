import type { AnyEntity, Stored } from "@cloudwright/api-client";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { driftOf, isCheckable } from "../../data/drift-state.ts";
import { pathOf } from "../../data/paths.ts";
import { useCan } from "../../data/permissions.ts";
import { useProject } from "../../data/project.ts";
import { Panel } from "../../design/layout.tsx";
import { Age } from "../../design/time.tsx";
import { CheckButton } from "../drift/check-button.tsx";
import { DriftTag } from "../drift/drift-tag.tsx";

/** Shows what the last drift check of an entity found, and lets the user start another check. */
export function DriftPanel({ entity }: { readonly entity: Stored<AnyEntity> }): ReactNode {
  const project = useProject();
  const can = useCan();
  const drift = driftOf(entity);
  const mayCheck = isCheckable(entity) && can("Drift", "check", entity.metadata.environment ?? "");
  return (
    <Panel title="Drift" actions={mayCheck && <CheckButton uids={[entity.metadata.uid]} />}>
      <div className="cw-row">
        <DriftTag entity={entity} />
        {drift.checkedAt !== undefined && (
          <span className="cw-muted cw-small">
            checked <Age at={drift.checkedAt} />
          </span>
        )}
        {drift.state === "DRIFTED" && <Link to={pathOf(project, "drift")}>Show drift</Link>}
      </div>
      {drift.message !== undefined && drift.message !== "" && <p className="cw-small">{drift.message}</p>}
    </Panel>
  );
}
