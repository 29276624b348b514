import "./resources.css";
import { ActionIcon, SegmentedControl, Tooltip } from "@mantine/core";
import { useFullscreenElement } from "@mantine/hooks";
import type { RunJson } from "@cloudwright/api-client";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { lazy, Suspense, useMemo, useState, type ReactNode } from "react";
import { loadChunk } from "../../../data/load-chunk.ts";
import { pathOf } from "../../../data/paths.ts";
import { logsQuery, planQuery } from "../../../data/queries.ts";
import { Icon } from "../../../design/icons.tsx";
import { Panel } from "../../../design/layout.tsx";
import { buildGraph } from "./build-graph.ts";
import { tonesOfState } from "./describe-resource.ts";
import { ResourceDetail } from "./resource-detail.tsx";
import { ResourceList } from "./resource-list.tsx";
import { followResources, type ResourceProgress } from "./resource-progress.ts";

// The graph library makes up a quarter of the console's code, so it is loaded on demand.
const ResourceGraph = lazy(async () => ({ default: (await loadChunk(() => import("./resource-graph.tsx"))).ResourceGraph }));
/** A graph is unreadable on narrow screens, so narrow screens show the list by default. */
const narrow = "(max-width: 599px)";
const nothing: readonly never[] = [];

/** Shows the resources of a run and their progress as a graph or as a list. */
export function Resources(props: {
  readonly project: string;
  readonly run: RunJson;
  readonly isOver: boolean;
  /** True on the run page, which already shows the plan. */
  readonly isOnPlan?: boolean;
}): ReactNode {
  const { project, run, isOver, isOnPlan = false } = props;
  const { data: plan } = useQuery(planQuery(project, run.uid ?? ""));
  const task = run.applyTask || run.planTask || "";
  const { data: log = nothing } = useQuery({ ...logsQuery(project, task), refetchInterval: isOver ? false : 1000 });
  const resources = useMemo(() => followResources(plan?.changes ?? [], log), [plan, log]);
  const graph = useMemo(() => buildGraph(resources, plan?.dependencies ?? []), [resources, plan]);
  const [view, setView] = useState(() => (globalThis.matchMedia(narrow).matches ? "list" : "graph"));
  const [chosen, setChosen] = useState("");
  const { ref, toggle, fullscreen } = useFullscreenElement<HTMLDivElement>();
  if (resources.length === 0) return null;
  const isPlanOnly = (run.applyTask ?? "") === "" && resources.every(({ state }) => state === "WAITING");
  const picked = resources.find(({ address }) => address === chosen);
  return (
    <div ref={ref} className="cw-resources" data-full={fullscreen}>
      <Panel
        title={
          <span className="cw-row">
            Resources <Tally resources={resources} isPlanOnly={isPlanOnly} />
          </span>
        }
        flush
        actions={
          <>
            {!isOnPlan && (
              <Link className="cw-small" to={pathOf(project, "runs", run.uid ?? "")}>
                Plan
              </Link>
            )}
            <SegmentedControl
              size="xs"
              aria-label="View"
              value={view}
              onChange={setView}
              data={[
                { value: "graph", label: "Graph" },
                { value: "list", label: "List" },
              ]}
            />
            <Tooltip label={fullscreen ? "Exit full screen" : "Full screen"}>
              <ActionIcon
                variant="default"
                size={28}
                aria-label={fullscreen ? "Exit full screen" : "Full screen"}
                onClick={() => void toggle()}
              >
                <Icon name={fullscreen ? "shrink" : "grow"} size={15} />
              </ActionIcon>
            </Tooltip>
          </>
        }
      >
        <div className="cw-resources-body" data-view={view}>
          {view === "graph" ? (
            <Suspense fallback={<div className="cw-graph" aria-busy="true" />}>
              <ResourceGraph graph={graph} isPlanOnly={isPlanOnly} chosen={chosen} onChoose={setChosen} />
            </Suspense>
          ) : (
            <ResourceList resources={resources} isPlanOnly={isPlanOnly} chosen={chosen} onChoose={setChosen} />
          )}
          {picked !== undefined && (
            <ResourceDetail
              key={picked.address}
              resource={picked}
              change={plan?.changes?.find(({ address }) => address === picked.address)}
              graph={graph}
              log={log}
              isPlanOnly={isPlanOnly}
              onChoose={setChosen}
            />
          )}
        </div>
      </Panel>
    </div>
  );
}

const words: readonly (readonly [ResourceProgress["state"], string])[] = [
  ["FAILED", "failed"],
  ["RUNNING", "in progress"],
  ["WAITING", "waiting"],
  ["DONE", "done"],
];

/** Shows the number of resources per state. Doubles as the legend of the graph. */
function Tally({
  resources,
  isPlanOnly,
}: {
  readonly resources: readonly ResourceProgress[];
  readonly isPlanOnly: boolean;
}): ReactNode {
  if (isPlanOnly) return <span className="cw-muted cw-small cw-num">{resources.length}</span>;
  return (
    <span className="cw-legend cw-num" data-testid="tally">
      {words.map(([state, word]) => {
        const count = resources.filter((each) => each.state === state).length;
        return count === 0 ? null : (
          <span key={state} data-tone={tonesOfState[state]}>
            <i />
            {count} {word}
          </span>
        );
      })}
    </span>
  );
}
