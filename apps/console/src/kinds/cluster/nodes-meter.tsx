import type { EntityByKind } from "@cloudwright/api-client";
import type { ReactNode } from "react";

/** Shows the number of ready nodes against the desired number. */
export function NodesMeter({ cluster }: { readonly cluster: EntityByKind["Cluster"] }): ReactNode {
  const ready = cluster.status?.readyNodes ?? 0;
  const wanted = wantedNodesOf(cluster);
  const share = wanted === 0 ? 0 : Math.min(1, ready / wanted);
  return (
    <span className="cw-meter" data-tone={ready >= wanted ? "good" : "warn"} title={`Ready nodes: ${ready} of ${wanted}`}>
      <i aria-hidden="true">
        <i style={{ width: `${share * 100}%` }} />
      </i>
      <span className="cw-num">
        {ready}/{wanted}
      </span>
    </span>
  );
}

/** Returns the desired number of nodes as of the last run. Before the first run, returns the size of the default pool. */
export function wantedNodesOf({ spec, status }: EntityByKind["Cluster"]): number {
  return status?.wantedNodes || (spec?.workers ?? 0);
}
