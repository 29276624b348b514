import type { AnyEntity, EntityByKind, KindName, Stored } from "@cloudwright/api-client";
import { Progress } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Whereabouts } from "../../data/fleet.ts";
import { entityPath, pathOf } from "../../data/paths.ts";
import { useProject } from "../../data/project.ts";
import { Facts } from "../../design/layout.tsx";
import { Tag } from "../../design/status.tsx";
import { Age } from "../../design/time.tsx";

type Fact = readonly [string, ReactNode];

/** Shows the specification and status of an entity. */
export function Summary({
  kind,
  entity,
  where,
}: {
  readonly kind: KindName;
  readonly entity: Stored<AnyEntity>;
  readonly where: Whereabouts;
}): ReactNode {
  const project = useProject();
  const { metadata, status } = entity;
  const link = (to: KindName, name: string | undefined): ReactNode =>
    name === undefined || name === "" ? undefined : <Link to={entityPath(project, to, name)}>{name}</Link>;
  const percent = status?.progressPercent ?? 0;
  const isWorking = status !== undefined && !["", "RUNNING", "FAILED", undefined].includes(status.phase) && percent < 100;
  return (
    <div className="cw-stack">
      {isWorking && <Progress value={percent} animated aria-label="Progress" />}
      <Facts
        of={[
          ...(kind === "Environment"
            ? []
            : [["Cloud", [where.cloud, where.region].filter((word) => word !== "").join(", ")] as const]),
          ...ownFacts(kind, entity, link),
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

function ownFacts(kind: KindName, entity: AnyEntity, link: (kind: KindName, name: string | undefined) => ReactNode): Fact[] {
  if (kind === "Account") {
    const { spec, status } = entity as EntityByKind["Account"];
    return [
      ["Account id", spec?.aws?.accountId],
      ["Role", mono(spec?.aws?.roleArn)],
      [
        "Credentials",
        spec?.simulated === true ? "none needed: simulated, nothing is billed" : describeCredentials(status?.secretsSet ?? []),
      ],
    ];
  }
  if (kind === "Network") {
    const { spec, status } = entity as EntityByKind["Network"];
    return [
      ["Account", link("Account", spec?.account)],
      [
        "Addresses",
        <span key="cidr" className="cw-mono">
          {status?.cidr || spec?.cidr}
        </span>,
      ],
      ["Zones", spec?.zones?.join(", ")],
      ["Egress", spec?.nat || "the cloud's default"],
      ["Network id", mono(status?.networkId)],
      ["Public subnets", mono(status?.publicSubnetIds?.join("\n"))],
      ["Private subnets", mono(status?.privateSubnetIds?.join("\n"))],
      ["Control plane", mono(status?.intraSubnetIds?.join("\n"))],
    ];
  }
  if (kind === "Cluster") {
    const { spec, status } = entity as EntityByKind["Cluster"];
    return [
      ["Network", link("Network", spec?.network)],
      ["Kubernetes", status?.serverVersion || status?.version || spec?.version || "latest"],
      ["Workers", spec?.workers],
      ["Machine type", spec?.instanceType || "default"],
      ["Ready nodes", status?.readyNodes],
      ["API server", mono(status?.endpoint)],
      ["Add-ons", spec?.addOns?.map(({ name }) => name).join(", ")],
    ];
  }
  if (kind === "NodePool") {
    const { spec, status } = entity as EntityByKind["NodePool"];
    return [
      ["Machine type", spec?.instanceType || "default"],
      ["Nodes", `${spec?.desired ?? 0} desired, ${spec?.min ?? 0} to ${spec?.max ?? 0}`],
      ["Ready nodes", status?.readyNodes],
      ["Capacity", spec?.capacity || "on-demand"],
      ["Disk", spec?.diskSizeGib ? `${spec.diskSizeGib} GiB` : ""],
    ];
  }
  if (kind === "Storage") {
    const { spec, status } = entity as EntityByKind["Storage"];
    return [
      ["Cluster", link("Cluster", spec?.cluster)],
      ["Type", spec?.volume === undefined ? "bucket" : `volume of ${spec.volume.sizeGib ?? 0} GiB`],
      ["Object versions", spec?.bucket?.versioning === true ? "yes" : ""],
      ["Resource", mono(status?.resourceId)],
    ];
  }
  if (kind === "Environment") {
    const { spec } = entity as EntityByKind["Environment"];
    return [["Description", spec?.description]];
  }
  return [];
}

function describeCredentials(set: readonly string[]): string {
  return set.length === 0
    ? "the agent's own credentials"
    : `${set.map((path) => path.split(".").at(-1)).join(", ")} set (not shown)`;
}

function mono(text: string | undefined): ReactNode {
  return text === undefined || text === "" ? undefined : (
    <span className="cw-mono" style={{ whiteSpace: "pre-line" }}>
      {text}
    </span>
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
