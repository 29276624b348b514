import type { AnyEntity, Stored } from "@cloudwright/api-client";
import { Progress } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { CloudLabel } from "../../clouds/cloud-label.tsx";
import type { EntityLocation } from "../../data/locations.ts";
import { entityPath, pathOf } from "../../data/paths.ts";
import { useProject } from "../../data/project.ts";
import { Facts } from "../../design/layout.tsx";
import { Tag } from "../../design/status.tsx";
import { Age } from "../../design/time.tsx";
import type { EntityLink, KindView } from "../../kinds/kind-view.ts";

/** Shows the most important facts from an entity's spec and status. */
export function Summary({
  view,
  entity,
  where,
}: {
  readonly view: KindView;
  readonly entity: Stored<AnyEntity>;
  readonly where: EntityLocation;
}): ReactNode {
  const project = useProject();
  const { metadata, status } = entity;
  const link: EntityLink = (to, name) =>
    name === undefined || name === "" ? undefined : <Link to={entityPath(project, to, name)}>{name}</Link>;
  const percent = status?.progressPercent ?? 0;
  const isWorking = status !== undefined && !["", "RUNNING", "FAILED", undefined].includes(status.phase) && percent < 100;
  return (
    <div className="cw-stack">
      {isWorking && <Progress value={percent} animated aria-label="Progress" />}
      <Facts
        of={[
          ["Cloud", where.cloud === "" ? "" : <CloudLabel key="cloud" cloud={where.cloud} region={where.region} />],
          ...view.detail.listFacts(entity, link, where),
          ["Environment", link("Environment", metadata.environment)],
          ["Labels", tags(metadata.labels)],
          ["Protection", metadata.deletionProtection === true ? "protected from deletion" : ""],
          ["On deletion", metadata.deletionPolicy === "retain" ? "cloud resources are kept" : ""],
          [
            "Last operation",
            metadata.operation === undefined || metadata.operation === "" ? (
              ""
            ) : (
              <Link to={pathOf(project, "operations", metadata.operation)}>{metadata.operation}</Link>
            ),
          ],
          ["Created", <Age key="created" at={metadata.createdAt} />],
          [
            "UID",
            <span key="uid" className="cw-mono">
              {metadata.uid}
            </span>,
          ],
        ]}
      />
    </div>
  );
}

function tags(labels: Readonly<Record<string, string>> | undefined): ReactNode {
  const entries = Object.entries(labels ?? {});
  if (entries.length === 0) return undefined;
  return (
    <span className="cw-row" style={{ gap: 6 }}>
      {entries.map(([key, value]) => (
        <Tag key={key}>
          {key}={value}
        </Tag>
      ))}
    </span>
  );
}
