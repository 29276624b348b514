import type { EntityByKind, Stored } from "@cloudwright/api-client";
import { Link } from "@tanstack/react-router";
import { useMemo, type ReactNode } from "react";
import { hasCondition, phaseOf } from "../../data/entity-state.ts";
import { entityPath, pathOf } from "../../data/paths.ts";
import { useProject } from "../../data/project.ts";
import { useLocations } from "../../data/use-locations.ts";
import { EntityLabel } from "../../design/entity-label.tsx";
import { Empty } from "../../design/layout.tsx";
import { toneOf, type Tone } from "../../design/phase.ts";
import { Phase, Tag } from "../../design/status.tsx";
import { NodesMeter } from "../../kinds/cluster/nodes-meter.tsx";

type Cluster = Stored<EntityByKind["Cluster"]>;

const most = 8;
const urgency: Readonly<Record<Tone, number>> = { bad: 0, warn: 1, busy: 2, idle: 3, good: 4, sim: 5 };

/** Lists the clusters with state, version, nodes and location. Clusters that need attention come first. */
export function ClusterGlance({ clusters }: { readonly clusters: readonly Cluster[] }): ReactNode {
  const project = useProject();
  const locations = useLocations();
  const sorted = useMemo(() => clusters.toSorted((a, b) => urgencyOf(a) - urgencyOf(b)).slice(0, most), [clusters]);
  if (clusters.length === 0)
    return (
      <Empty icon="cluster" title="No clusters yet">
        Clusters appear here as soon as they are created.
      </Empty>
    );
  return (
    <>
      <div className="cw-over">
        <table className="cw-plain cw-oneline">
          <thead>
            <tr>
              <th>Cluster</th>
              <th>State</th>
              <th className="cw-wide">Version</th>
              <th className="cw-wide">Nodes</th>
              <th className="cw-wide">Region</th>
              <th className="cw-wide">Environment</th>
            </tr>
          </thead>
          <tbody>
            {sorted.map((cluster) => {
              const { metadata, status, spec } = cluster;
              const where = locations.of("Cluster", cluster);
              return (
                <tr key={metadata.uid}>
                  <td>
                    <EntityLabel
                      icon="cluster"
                      name={metadata.name}
                      to={entityPath(project, "Cluster", metadata.name)}
                      simulated={where.simulated}
                    />
                  </td>
                  <td>
                    <Phase state={phaseOf(cluster)} /> {hasCondition(cluster, "Drifted") && <Tag tone="warn">drifted</Tag>}
                  </td>
                  <td className="cw-wide cw-num">{status?.version || spec?.version || "latest"}</td>
                  <td className="cw-wide">
                    <NodesMeter cluster={cluster} />
                  </td>
                  <td className="cw-wide">{where.region}</td>
                  <td className="cw-wide">{metadata.environment || <span className="cw-muted">–</span>}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      {clusters.length > most && (
        <div className="cw-foot">
          <Link to={pathOf(project, "k", "clusters")}>All {clusters.length.toLocaleString("en")} clusters</Link>
        </div>
      )}
    </>
  );
}

function urgencyOf(cluster: Cluster): number {
  return hasCondition(cluster, "Drifted") ? urgency.warn : urgency[toneOf(phaseOf(cluster))];
}
