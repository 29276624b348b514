import { BaseEdge, type Edge, type EdgeProps } from "@xyflow/react";
import type { ReactNode } from "react";
import type { Point } from "./lay-out-layers.ts";

export interface WaitingData extends Record<string, unknown> {
  readonly points: readonly Point[];
  /** The tone name: `idle`, `busy`, `good` or `bad`. */
  readonly tone: string;
  readonly isDimmed: boolean;
}

export type WaitingEdgeType = Edge<WaitingData, "waiting">;

/** Draws an edge from a resource to one that waits for it. The edge avoids the boxes in between. */
export function WaitingEdge(props: EdgeProps<WaitingEdgeType>): ReactNode {
  const { id, sourceX, sourceY, targetX, targetY, data, markerEnd } = props;
  const points = [{ x: sourceX, y: sourceY }, ...(data?.points ?? []), { x: targetX, y: targetY }];
  return (
    <g className="cw-edge" data-tone={data?.tone} data-dimmed={data?.isDimmed}>
      <BaseEdge id={id} path={drawPath(points)} {...(markerEnd === undefined ? {} : { markerEnd })} />
    </g>
  );
}

/** Returns an SVG path that is horizontal at each point and curved in between. */
function drawPath(points: readonly Point[]): string {
  const [first, ...rest] = points;
  if (first === undefined) return "";
  let from = first;
  const parts = [`M${first.x},${first.y}`];
  for (const to of rest) {
    const middle = (from.x + to.x) / 2;
    parts.push(from.y === to.y ? `L${to.x},${to.y}` : `C${middle},${from.y} ${middle},${to.y} ${to.x},${to.y}`);
    from = to;
  }
  return parts.join(" ");
}
