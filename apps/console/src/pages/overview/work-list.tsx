import type { EntityByKind, Stored } from "@cloudwright/api-client";
import { Progress } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { pathOf } from "../../data/paths.ts";
import { Empty } from "../../design/layout.tsx";
import { Phase } from "../../design/status.tsx";

const most = 8;

/** Operations that are not over, and how far they are. */
export function WorkList({
  project,
  operations,
}: {
  readonly project: string;
  readonly operations: readonly Stored<EntityByKind["Operation"]>[];
}): ReactNode {
  if (operations.length === 0)
    return (
      <Empty icon="check" title="Nothing is going on">
        Everything that was asked for is done.
      </Empty>
    );
  return (
    <div>
      {operations.slice(0, most).map(({ metadata, spec, status }) => (
        <div key={metadata.uid} style={{ padding: "10px 16px", borderBottom: "1px solid var(--cw-line)" }}>
          <div className="cw-row">
            <Link className="cw-name" to={pathOf(project, "operations", metadata.name)}>
              {spec?.verb} {spec?.entityKind?.toLowerCase()} {spec?.entityName}
            </Link>
            <Phase state={status?.state} work />
            <span className="cw-muted cw-small" style={{ marginLeft: "auto" }}>
              {status?.message}
            </span>
          </div>
          <Progress value={status?.progressPercent ?? 0} size={5} mt={8} aria-label={`Progress of ${spec?.entityName ?? ""}`} />
        </div>
      ))}
      {operations.length > most && <div className="cw-foot">and {operations.length - most} more</div>}
    </div>
  );
}
