import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useProject } from "../../data/project.ts";
import { eventsQuery } from "../../data/queries.ts";
import { Empty, FaultNote, Panel } from "../../design/layout.tsx";
import { Tag } from "../../design/status.tsx";
import { Age } from "../../design/time.tsx";

export function EntityEvents({ uid }: { readonly uid: string }): ReactNode {
  const { data, error } = useQuery(eventsQuery(useProject(), uid));
  if (error !== null) return <FaultNote error={error} />;
  return (
    <Panel flush>
      {data?.length === 0 && <Empty icon="clock" title="No events yet" />}
      <table className="cw-plain">
        <tbody>
          {data?.map((event) => (
            <tr key={event.uid}>
              <td className="cw-muted" style={{ whiteSpace: "nowrap", width: 100 }}>
                <Age at={event.at} />
              </td>
              <td style={{ width: 1 }}>
                <Tag {...(event.type === "Warning" ? { tone: "warn" as const } : {})}>{event.reason}</Tag>
              </td>
              <td>{event.message}</td>
              <td className="cw-muted cw-wide" style={{ textAlign: "right", whiteSpace: "nowrap" }}>
                {event.actor}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  );
}
