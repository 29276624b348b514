import type { EntityByKind, Stored } from "@cloudwright/api-client";
import { Progress } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { pathOf } from "../../data/paths.ts";
import { describeOperation } from "../../data/describe-operation.ts";
import { subjectOf } from "../../data/subject-of.ts";
import { useSimulated } from "../../data/use-simulated.ts";
import { Icon } from "../../design/icons.tsx";
import { Empty } from "../../design/layout.tsx";
import { readable } from "../../design/phase.ts";
import { Simulated } from "../../design/status.tsx";
import { Age, wordsOf } from "../../design/time.tsx";
import { iconOfKind } from "../../kinds/registry.ts";

const most = 6;

export function WorkList({
  project,
  operations,
}: {
  readonly project: string;
  readonly operations: readonly Stored<EntityByKind["Operation"]>[];
}): ReactNode {
  const isSimulated = useSimulated();
  if (operations.length === 0)
    return (
      <Empty icon="check" title="No operations in progress">
        All requested changes are done.
      </Empty>
    );
  return (
    <div className="cw-work">
      {operations.slice(0, most).map(({ metadata, spec, status }) => (
        <div key={metadata.uid}>
          <div className="cw-row" style={{ flexWrap: "nowrap", gap: 8 }}>
            <Icon name={iconOfKind(subjectOf(spec).kind)} size={16} />
            <Link className="cw-name" to={pathOf(project, "operations", metadata.name)}>
              {describeOperation(spec)}
            </Link>
            <Simulated is={isSimulated(spec?.entityKind, spec?.entityUid)} />
            <span className="cw-muted cw-small" style={{ marginLeft: "auto", whiteSpace: "nowrap" }}>
              <Age at={metadata.createdAt} />
            </span>
          </div>
          <Progress
            value={status?.progressPercent ?? 0}
            size={5}
            my={7}
            aria-label={`Progress of ${spec?.entityName ?? ""}: ${status?.progressPercent ?? 0}%`}
          />
          <div className="cw-muted cw-small cw-cut" title={wordsOf(status?.message)}>
            {wordsOf(status?.message) || readable(status?.state ?? "")}
          </div>
        </div>
      ))}
      {operations.length > most && <div className="cw-foot">and {operations.length - most} more</div>}
    </div>
  );
}
