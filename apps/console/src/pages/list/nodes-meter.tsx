import type { EntityByKind } from "@cloudwright/api-client";
import type { ReactNode } from "react";

/** How many nodes of a cluster are ready, of how many were asked for. */
export function NodesMeter({ cluster }: { readonly cluster: EntityByKind["Cluster"] }): ReactNode {
  const ready = cluster.status?.readyNodes ?? 0;
  const wanted = wantedNodesOf(cluster);
  const share = wanted === 0 ? 0 : Math.min(1, ready / wanted);
  return (
    <span className="cw-meter" data-tone={ready >= wanted ? "good" : "warn"} title={`${ready} of ${wanted} nodes are ready`}>
      <i aria-hidden="true">
        <i style={{ width: `${share * 100}%` }} />
      </i>
      <span className="cw-num">
        {ready}/{wanted}
      </span>
    </span>
  );
}

/** The nodes that a cluster should have: as its last run said, and before it the workers of its default pool. */
export function wantedNodesOf({ spec, status }: EntityByKind["Cluster"]): number {
  return status?.wantedNodes || (spec?.workers ?? 0);
}
