import type { EventJson } from "@cloudwright/api-client";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo, type ReactNode } from "react";
import { useLiveEvents } from "../../data/live.tsx";
import { eventsQuery } from "../../data/queries.ts";
import { Empty } from "../../design/layout.tsx";
import { Tag } from "../../design/status.tsx";
import { Age } from "../../design/time.tsx";

const most = 12;

/** What happened lately: what was asked for once, and what the stream has told since. */
export function RecentEvents(props: {
  readonly project: string;
  readonly pathTo: (kind: string, name: string) => string | undefined;
}): ReactNode {
  const { data = [] } = useQuery(eventsQuery(props.project, ""));
  const live = useLiveEvents();
  const events = useMemo(() => merge(live, data).slice(0, most), [live, data]);
  if (events.length === 0)
    return (
      <Empty icon="clock" title="Nothing yet">
        What happens to the project's entities appears here by itself.
      </Empty>
    );
  return (
    <div className="cw-over">
      <table className="cw-plain">
        <thead>
          <tr>
            <th>When</th>
            <th>What</th>
            <th className="cw-wide">Of</th>
            <th>In words</th>
          </tr>
        </thead>
        <tbody>
          {events.map((event) => {
            const to = props.pathTo(event.kind ?? "", event.name ?? "");
            return (
              <tr key={event.uid}>
                <td style={{ whiteSpace: "nowrap" }} className="cw-muted">
                  <Age at={event.at} />
                </td>
                <td>
                  <Tag {...(event.type === "Warning" ? { tone: "warn" as const } : {})}>{event.reason}</Tag>
                </td>
                <td className="cw-wide" style={{ whiteSpace: "nowrap" }}>
                  <span className="cw-muted">{event.kind} </span>
                  {to === undefined ? (
                    event.name
                  ) : (
                    <Link className="cw-name" to={to}>
                      {event.name}
                    </Link>
                  )}
                </td>
                <td>{event.message}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function merge(live: readonly EventJson[], asked: readonly EventJson[]): EventJson[] {
  const byUid = new Map([...asked, ...live].map((event) => [event.uid, event]));
  return [...byUid.values()].toSorted(
    (a, b) => (b.at ?? "").localeCompare(a.at ?? "") || (b.uid ?? "").localeCompare(a.uid ?? ""),
  );
}
