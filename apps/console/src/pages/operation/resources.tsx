import type { RunJson } from "@cloudwright/api-client";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo, type ReactNode } from "react";
import { pathOf } from "../../data/paths.ts";
import { logsQuery, planQuery } from "../../data/queries.ts";
import { Panel } from "../../design/layout.tsx";
import { toneOf, type Tone } from "../../design/phase.ts";
import { followResources, type ResourceProgress } from "./resource-progress.ts";

const tones: Readonly<Record<ResourceProgress["state"], Tone>> = {
  WAITING: "idle",
  RUNNING: "busy",
  DONE: "good",
  FAILED: "bad",
};

/** The resources of a run as they are made, changed and removed: one tile each. */
export function Resources({
  project,
  run,
  isOver,
}: {
  readonly project: string;
  readonly run: RunJson;
  readonly isOver: boolean;
}): ReactNode {
  const { data: plan } = useQuery(planQuery(project, run.uid ?? ""));
  const task = run.applyTask || run.planTask || "";
  const { data: log = [] } = useQuery({ ...logsQuery(project, task), refetchInterval: isOver ? false : 1000 });
  const resources = useMemo(() => followResources(plan?.changes ?? [], log), [plan, log]);
  const done = resources.filter(({ state }) => state === "DONE").length;
  if (resources.length === 0) return null;
  return (
    <Panel
      title="Resources"
      actions={
        <>
          <span className="cw-muted cw-small cw-num">
            {done} of {resources.length}
          </span>
          <Link className="cw-small" to={pathOf(project, "runs", run.uid ?? "")}>
            Plan
          </Link>
        </>
      }
    >
      <ul className="cw-tiles" aria-label="Resources of the run">
        {resources.map(({ address, type, action, state, said }) => (
          <li key={address} data-tone={tones[state]} data-busy={toneOf(state, true) === "busy"}>
            <span className="cw-mono">{address}</span>
            <span className="cw-muted cw-small">
              {said === "" ? `${action} planned` : said.replace(/ after 0 s/, "").replace(/ \(.*\)$/, "")}
            </span>
            <span className="cw-visually-hidden">
              {type}, {state.toLowerCase()}
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
