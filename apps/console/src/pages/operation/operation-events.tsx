import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { timelineQuery } from "../../data/queries.ts";
import { Panel } from "../../design/layout.tsx";
import { clockTime, describeDuration } from "../../design/time.tsx";
import { toneOfEntry } from "./build-timeline.ts";

/** Lists the history of an operation in causal order: requests and decisions, each followed by its tasks. */
export function OperationEvents({ project, operation }: { readonly project: string; readonly operation: string }): ReactNode {
  const { data = [] } = useQuery(timelineQuery(project, operation));
  const began = Date.parse(data[0]?.at ?? "");
  return (
    <Panel title="Events">
      <div data-testid="timeline" className="cw-happened" role="group" aria-label="Events" tabIndex={0}>
        {data.map((entry, index) => (
          <div
            key={`${entry.at ?? ""}${index}`}
            className="cw-line-item"
            data-tone={toneOfEntry(entry)}
            data-depth={entry.source === "task" ? 1 : 0}
          >
            <time dateTime={entry.at} title={clockTime(entry.at)}>
              {index === 0 ? clockTime(entry.at) : `+${describeDuration(Date.parse(entry.at ?? "") - began)}`}
            </time>
            <span className="cw-knot">
              <i />
            </span>
            <div>
              {entry.message}
              <div className="cw-muted cw-small">
                {entry.reason}
                {entry.actor !== undefined && entry.actor !== "" && ` · ${entry.actor}`}
              </div>
            </div>
          </div>
        ))}
      </div>
    </Panel>
  );
}
