import type { EventJson } from "@cloudwright/api-client";
import { useQuery } from "@tanstack/react-query";
import { useMemo, type ReactNode } from "react";
import { useLiveEvents } from "../../data/live.tsx";
import { eventsQuery } from "../../data/queries.ts";
import { useSimulated } from "../../data/use-simulated.ts";
import { EntityLabel } from "../../design/entity-label.tsx";
import { Empty } from "../../design/layout.tsx";
import { Tag } from "../../design/status.tsx";
import { Age, wordsOf } from "../../design/time.tsx";
import { iconOfKind } from "../../kinds/registry.ts";

const most = 10;

/** Lists recent events, both those loaded with the page and those received since. */
export function RecentEvents(props: {
  readonly project: string;
  readonly pathTo: (kind: string, name: string) => string | undefined;
}): ReactNode {
  const { data = [] } = useQuery(eventsQuery(props.project, ""));
  const live = useLiveEvents();
  const isSimulated = useSimulated();
  const events = useMemo(() => merge(live, data).slice(0, most), [live, data]);
  if (events.length === 0)
    return (
      <Empty icon="clock" title="No events yet">
        Events for the project's entities appear here.
      </Empty>
    );
  return (
    <div className="cw-over">
      <table className="cw-plain">
        <thead>
          <tr>
            <th style={{ width: 96 }}>When</th>
            <th className="cw-wide" style={{ width: "26%" }}>
              Entity
            </th>
            <th className="cw-wide" style={{ width: 150 }}>
              Event
            </th>
            <th>Summary</th>
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
                <td className="cw-wide">
                  <EntityLabel
                    icon={iconOfKind(event.kind ?? "")}
                    name={event.name ?? ""}
                    to={to}
                    simulated={isSimulated(event.kind, event.entityUid)}
                  />
                </td>
                <td className="cw-wide">
                  <Tag {...(event.type === "Warning" ? { tone: "warn" as const } : {})}>{event.reason}</Tag>
                </td>
                <td>{wordsOf(event.message)}</td>
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
