import "@xyflow/react/dist/style.css";
import { useComputedColorScheme } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import {
  Background,
  Controls,
  Handle,
  Position,
  ReactFlow,
  type Node,
  type NodeProps,
  type ReactFlowInstance,
  type BuiltInEdge,
} from "@xyflow/react";
import { useMemo, useRef, type ReactNode } from "react";
import { entityPath, pathOf } from "../../data/paths.ts";
import { useProject } from "../../data/project.ts";
import type { Placed } from "../../data/references.ts";
import { useLocations } from "../../data/use-locations.ts";
import { toneOf } from "../../design/phase.ts";
import { EntityBox } from "./entity-box.tsx";
import type { Tree } from "./lay-out-tree.ts";

type MoreNode = Node<{ readonly count: number; readonly to: string; readonly network: string }, "more">;
const nodeTypes = { entity: EntityBox, frame: Frame, more: More };
const margin = 24;
/** The minimum zoom at which names are readable. Larger trees scroll instead. */
const leastZoom = 0.72;

/** Shows the tree as a picture that can be panned and zoomed. Entities that do not match the filter are dimmed. */
export function TreePicture({
  tree,
  matches,
}: {
  readonly tree: Tree;
  readonly matches: (placed: Placed) => boolean;
}): ReactNode {
  const project = useProject();
  const locations = useLocations();
  const scheme = useComputedColorScheme("light", { getInitialValueInEffect: false });
  const place = useRef<HTMLDivElement>(null);
  const nodes = useMemo(
    () =>
      tree.boxes.map((box): Node => {
        const fixed = { draggable: false, connectable: false, focusable: false, deletable: false, selectable: false };
        const at = { id: box.id, position: { x: box.x, y: box.y }, width: box.width, height: box.height, ...fixed };
        if (box.shape === "frame") return { ...at, type: "frame", data: {}, zIndex: -1 };
        if (box.shape === "more") {
          return { ...at, type: "more", data: { count: box.count, network: box.network, to: pathOf(project, "k", "clusters") } };
        }
        const { placed, within } = box;
        const isSimulated = locations.of(placed.kind, placed.entity).simulated;
        const pathTo = ({ kind, entity: { metadata } }: Placed): string =>
          entityPath(project, kind, metadata.name, metadata.parent);
        return { ...at, type: "entity", data: { placed, within, isSimulated, isFaint: !matches(placed), pathTo } };
      }),
    [tree, locations, project, matches],
  );
  const edges = useMemo(
    () =>
      tree.lines.map(({ from, to, placed }): BuiltInEdge => ({
        id: `${from}-${to}`,
        source: from,
        target: to,
        animated: toneOf(placed.entity.status?.phase ?? "") === "busy",
        focusable: false,
        type: "smoothstep",
        pathOptions: { offset: 14, borderRadius: 8 },
      })),
    [tree],
  );
  const start = (flow: Pick<ReactFlowInstance, "setViewport">): void => {
    const { clientWidth, clientHeight } = place.current ?? { clientWidth: 0, clientHeight: 0 };
    const [wide, high] = [(clientWidth - 2 * margin) / tree.width, (clientHeight - 2 * margin) / tree.height];
    const zoom = Math.max(leastZoom, Math.min(1, wide, high));
    void flow.setViewport({ zoom, x: margin, y: margin });
  };
  return (
    <div className="cw-flow" ref={place} style={{ height: `min(calc(100vh - 236px), ${tree.height + 2 * margin}px)` }}>
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={nodeTypes}
        colorMode={scheme}
        onInit={start}
        minZoom={0.15}
        panOnScroll
        nodesFocusable={false}
        edgesFocusable={false}
        proOptions={{ hideAttribution: true }}
      >
        <Background gap={22} />
        <Controls showInteractive={false} position="bottom-right" />
      </ReactFlow>
    </div>
  );
}

function Frame(): ReactNode {
  return (
    <div className="cw-frame">
      <Handle type="target" position={Position.Left} isConnectable={false} style={{ top: 41 }} />
    </div>
  );
}

function More({ data: { count, to, network } }: NodeProps<MoreNode>): ReactNode {
  return (
    <Link className="cw-more nodrag nopan" to={to} search={{ filter: network } as never}>
      and {count.toLocaleString("en")} more
    </Link>
  );
}
