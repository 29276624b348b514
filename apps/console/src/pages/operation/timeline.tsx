import type { TimelineEntryJson } from "@cloudwright/api-client";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { timelineQuery } from "../../data/queries.ts";
import { FaultNote, Panel } from "../../design/layout.tsx";
import type { Tone } from "../../design/phase.ts";
import { clockTime } from "../../design/time.tsx";

/** Everything that happened for an operation, in the order of cause and effect. */
export function Timeline({ project, operation }: { readonly project: string; readonly operation: string }): ReactNode {
  const { data = [], error } = useQuery(timelineQuery(project, operation));
  return (
    <Panel title="Timeline">
      <FaultNote error={error} />
      <div data-testid="timeline">
        {data.map((entry, index) => (
          <div key={`${entry.at ?? ""}${index}`} className="cw-line-item" data-tone={toneOfEntry(entry)}>
            <time dateTime={entry.at}>{clockTime(entry.at)}</time>
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

function toneOfEntry({ reason = "", source }: TimelineEntryJson): Tone {
  if (/fail|lost|denied|expired/i.test(reason)) return "bad";
  if (/cancel|retry|wait|approv/i.test(reason)) return "warn";
  if (/done|succeed|running|created/i.test(reason)) return "good";
  return source === "task" ? "busy" : "idle";
}
