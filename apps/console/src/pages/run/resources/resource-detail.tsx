import { CloseButton } from "@mantine/core";
import type { PlannedChangeJson, TaskLogLineJson } from "@cloudwright/api-client";
import type { ReactNode } from "react";
import { clockTime } from "../../../design/time.tsx";
import { useNow } from "../../../design/use-now.ts";
import { Attributes } from "../attributes.tsx";
import type { ResourceGraph } from "./build-graph.ts";
import { describeProgress, toneOfResource } from "./describe-resource.ts";
import { listLinesOf, type ResourceProgress } from "./resource-progress.ts";

const mostLines = 60;

/** Shows one resource of a run with its progress, dependencies, planned changes and log. */
export function ResourceDetail(props: {
  readonly resource: ResourceProgress;
  readonly change: PlannedChangeJson | undefined;
  readonly graph: ResourceGraph;
  readonly log: readonly TaskLogLineJson[];
  readonly isPlanOnly: boolean;
  readonly onChoose: (address: string) => void;
}): ReactNode {
  const { resource, change, graph, isPlanOnly, onChoose } = props;
  const now = useNow(resource.state === "RUNNING");
  const own = graph.nodes.find(({ instances }) => instances.some(({ address }) => address === resource.address))?.address;
  const lines = listLinesOf(resource.address, props.log).slice(-mostLines);
  const neighbours = [
    ["Waits for", graph.edges.filter(({ to }) => to === own).map(({ from }) => from)],
    ["Required by", graph.edges.filter(({ from }) => from === own).map(({ to }) => to)],
  ] as const;
  return (
    <aside className="cw-resource" aria-label={`Resource ${resource.address}`} data-testid="resource-detail">
      <header>
        <div>
          <h3 className="cw-mono">{resource.address}</h3>
          <span className="cw-small cw-said" data-tone={toneOfResource(resource.state, resource.action, isPlanOnly)}>
            {describeProgress(resource, now, isPlanOnly)}
            {resource.action === "replace" && " · replaced"}
          </span>
        </div>
        <CloseButton size="sm" aria-label="Close resource details" onClick={() => onChoose("")} />
      </header>
      {neighbours.map(([title, addresses]) =>
        addresses.length === 0 ? null : (
          <div key={title} className="cw-neighbours">
            <h4>{title}</h4>
            {addresses.map((address) => (
              <button
                key={address}
                type="button"
                className="cw-mono"
                onClick={() => onChoose(graph.nodes.find((node) => node.address === address)?.instances[0]?.address ?? "")}
              >
                {address}
              </button>
            ))}
          </div>
        ),
      )}
      {change !== undefined && (change.attributes ?? []).length > 0 && (
        <div>
          <h4>Planned attributes</h4>
          <Attributes change={change} />
        </div>
      )}
      {lines.length > 0 && (
        <div>
          <h4>Log</h4>
          <div className="cw-resource-log" tabIndex={0} role="group" aria-label="Log of the resource">
            {lines.map(({ at, line, attempt, seq }) => (
              <div key={`${attempt ?? 0}.${seq ?? 0}`}>
                <time dateTime={at}>{clockTime(at)}</time> {line?.replace(`${resource.address}: `, "")}
              </div>
            ))}
          </div>
        </div>
      )}
    </aside>
  );
}
