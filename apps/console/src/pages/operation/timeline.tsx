import "./timeline.css";
import { Progress } from "@mantine/core";
import type { EntityByKind, Stored } from "@cloudwright/api-client";
import { useQuery } from "@tanstack/react-query";
import type { CSSProperties, ReactNode } from "react";
import { timelineQuery } from "../../data/queries.ts";
import { FaultNote, Panel } from "../../design/layout.tsx";
import { readable, toneOf } from "../../design/phase.ts";
import { describeDuration } from "../../design/time.tsx";
import { useNow } from "../../design/use-now.ts";
import { buildTimeline, listTicks, type Span, type TimelineRow } from "./build-timeline.ts";

/** Shows the steps of an operation on a time axis, with work, retries and waits. */
export function Timeline({
  project,
  operation,
  isOver,
}: {
  readonly project: string;
  readonly operation: Stored<EntityByKind["Operation"]>;
  readonly isOver: boolean;
}): ReactNode {
  const { metadata, status } = operation;
  const { data = [], error } = useQuery(timelineQuery(project, metadata.name));
  const now = useNow(!isOver);
  const steps = status?.steps ?? [];
  const times = { steps, createdAt: metadata.createdAt ?? "", endedAt: status?.endedAt, isOpen: !isOver };
  const picture = buildTimeline(times, data, now);
  const length = picture.to - picture.from;
  const place = (at: number): string => `${(100 * Math.min(Math.max(at - picture.from, 0), length)) / length}%`;
  const draw = (span: Span): CSSProperties => ({
    left: place(span.from),
    width: `calc(${place(picture.from + (span.to ?? picture.to) - span.from)} + 2px)`,
  });
  const percent = status?.progressPercent ?? 0;
  return (
    <Panel
      title="Timeline"
      actions={
        <span className="cw-muted cw-small cw-num">
          {describeDuration(length)} · {percent} %
        </span>
      }
    >
      <FaultNote error={error} />
      <div className="cw-stack">
        <Progress
          value={percent}
          size="sm"
          color={status?.state === "FAILED" ? "red" : status?.state === "DONE" ? "teal" : "blue"}
          animated={!isOver}
          aria-label="Progress of the operation"
        />
        {picture.rows.length === 0 ? (
          <span className="cw-muted">{isOver ? "No steps were needed." : "accepted, not started yet"}</span>
        ) : (
          <div className="cw-time" data-testid="steps">
            <div className="cw-time-axis" aria-hidden="true">
              {listTicks(length).map((tick) => (
                <span key={tick} style={{ left: place(picture.from + tick) }}>
                  {describeTick(tick)}
                </span>
              ))}
            </div>
            <ol aria-label="Steps">
              {picture.rows.map((row, index) => (
                <li key={index} data-tone={toneOf(row.state, true)}>
                  <div className="cw-time-name">
                    <strong>{row.name.replace(/^\w+\./, "").replaceAll(/([a-z])([A-Z])/g, "$1 $2")}</strong>
                    <span>{describeRow(row, now)}</span>
                  </div>
                  <div className="cw-time-lane">
                    {row.spans.map((span) => (
                      <span
                        key={`${span.from}${span.kind}`}
                        className="cw-span"
                        data-kind={span.from === span.to ? "moment" : span.kind}
                        data-tone={span.tone}
                        data-open={span.to === undefined}
                        style={draw(span)}
                        title={`${span.title} · ${describeDuration((span.to ?? now) - span.from)}`}
                      />
                    ))}
                  </div>
                  {row.state !== "DONE" && row.message !== "" && row.message !== status?.message && <p>{row.message}</p>}
                </li>
              ))}
            </ol>
            <div className="cw-time-moments" aria-hidden="true">
              {picture.moments.map(({ at, tone, title }) => (
                <i key={`${at}${title}`} data-tone={tone} style={{ left: place(at) }} title={title} />
              ))}
            </div>
          </div>
        )}
      </div>
    </Panel>
  );
}

function describeRow({ state, spans, attempts }: TimelineRow, now: number): string {
  const worked = spans.filter(({ kind }) => kind === "work").reduce((sum, { from, to }) => sum + (to ?? now) - from, 0);
  const waited = spans.filter(({ kind }) => kind !== "work").reduce((sum, { from, to }) => sum + (to ?? now) - from, 0);
  return [
    state === "" ? "" : readable(state),
    worked > 0 ? describeDuration(worked) : "",
    attempts > 1 ? `${attempts} attempts` : "",
    waited > 0 ? `waited ${describeDuration(waited)}` : "",
  ]
    .filter((part) => part !== "")
    .join(" · ");
}

function describeTick(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600)
    return seconds % 60 === 0 ? `${seconds / 60} min` : `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  return `${Math.round(seconds / 360) / 10} h`;
}
