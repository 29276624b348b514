import "@xyflow/react/dist/style.css";
import { useComputedColorScheme } from "@mantine/core";
import { useReducedMotion } from "@mantine/hooks";
import { Background, Controls, MarkerType, MiniMap, ReactFlow, useStore, type ReactFlowInstance } from "@xyflow/react";
import {
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
  type CSSProperties,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
} from "react";
import type { ResourceGraph as Graph, ResourceNode } from "./build-graph.ts";
import { layOutLayers, type LayeredPicture } from "./lay-out-layers.ts";
import { cardWidth, heightOfCard, ResourceCard, type CardNode } from "./resource-card.tsx";
import { stepFrom } from "./step-from.ts";
import { WaitingEdge, type WaitingEdgeType } from "./waiting-edge.tsx";

const nodeTypes = { resource: ResourceCard };
const edgeTypes = { waiting: WaitingEdge };
/** The left padding leaves space for the zoom buttons. */
const fitOptions = { maxZoom: 1, padding: { top: "16px", right: "20px", bottom: "16px", left: "58px" } } as const;
/** Below this zoom level, cards show only their name in larger type. */
const farZoom = 0.62;
/** Graphs with at least this many resources have a minimap. */
const mapFrom = 40;

/** Shows the resources of a run as a graph in execution order. */
export function ResourceGraph({
  graph,
  isPlanOnly,
  chosen,
  onChoose,
}: {
  readonly graph: Graph;
  readonly isPlanOnly: boolean;
  readonly chosen: string;
  readonly onChoose: (address: string) => void;
}): ReactNode {
  const scheme = useComputedColorScheme("light", { getInitialValueInEffect: false });
  const isStill = useReducedMotion();
  const picture = usePicture(graph);
  const flow = useRef<ReactFlowInstance<CardNode, WaitingEdgeType>>(null);
  const frame = useRef<HTMLDivElement>(null);
  const [reached, setReached] = useState("");
  const order = useMemo(() => listInOrder(graph, picture), [graph, picture]);
  const reachable = order.some(({ address }) => address === reached) ? reached : (order[0]?.address ?? "");
  const isMoved = useRef(false);
  useEffect(() => void flow.current?.fitView(fitOptions), [picture]);
  const onResize = useCallback(() => {
    // Opening the detail panel shrinks the graph. The zoom stays the same, and the selected resource scrolls into view.
    if (chosen !== "") bringIntoView(flow.current, picture, chosen, order);
    else if (!isMoved.current) void flow.current?.fitView(fitOptions);
  }, [chosen, picture, order]);
  const onKey = useCallback(
    (address: string, event: KeyboardEvent) => {
      if (event.key === "Escape") return onChoose("");
      const next = stepFrom(order, graph.edges, address, event.key);
      if (next === undefined) return;
      event.preventDefault();
      setReached(next);
      const button = frame.current?.querySelector<HTMLElement>(`[data-address=${CSS.escape(next)}]`);
      button?.focus({ preventScroll: true });
      bringIntoView(flow.current, picture, next, order);
    },
    [order, graph.edges, picture, onChoose],
  );
  const near = useMemo(() => findNear(graph, chosen), [graph, chosen]);
  const nodes = useMemo(
    () =>
      picture.boxes
        .toSorted((a, b) => a.layer - b.layer || a.y - b.y)
        .flatMap((box): CardNode[] => {
          const node = graph.nodes.find(({ address }) => address === box.id);
          if (node === undefined) return [];
          const isDimmed = near !== undefined && !near.has(box.id);
          return [
            {
              id: box.id,
              type: "resource",
              position: { x: box.x, y: box.y },
              width: box.width,
              height: box.height,
              data: { node, isPlanOnly, chosen, reachable, isDimmed, onChoose, onKey },
              draggable: false,
              connectable: false,
              focusable: false,
              deletable: false,
            },
          ];
        }),
    [picture, graph, isPlanOnly, chosen, reachable, near, onChoose, onKey],
  );
  const edges = useMemo(() => {
    const states = new Map(graph.nodes.map(({ address, state }) => [address, state]));
    return picture.links.map(({ from, to, points }): WaitingEdgeType => {
      const tone = toneOfEdge(states.get(from), states.get(to));
      const isDimmed = chosen !== "" && near !== undefined && from !== near.center && to !== near.center;
      return {
        id: `${from}>${to}`,
        type: "waiting",
        source: from,
        target: to,
        animated: tone === "busy" && !isStill,
        focusable: false,
        data: { points, tone, isDimmed },
        markerEnd: { type: MarkerType.ArrowClosed, width: 14, height: 14, color: `var(--cw-edge-${tone})` },
      };
    });
  }, [graph, picture, chosen, near, isStill]);
  return (
    <div
      ref={frame}
      className="cw-graph"
      data-testid="resource-graph"
      role="group"
      style={{ "--cw-ratio": picture.height / Math.max(1, picture.width), "--cw-height": `${picture.height}px` } as CSSProperties}
      aria-label="Resource graph: use the arrow keys to move and Enter to select"
    >
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={nodeTypes}
        edgeTypes={edgeTypes}
        colorMode={scheme}
        onInit={(instance) => {
          flow.current = instance;
          void instance.fitView(fitOptions);
        }}
        onMoveStart={(event) => {
          // The event is null if the view was moved by code rather than by the user.
          if (event !== null) isMoved.current = true;
        }}
        onPaneClick={() => onChoose("")}
        fitView
        fitViewOptions={fitOptions}
        minZoom={0.1}
        maxZoom={1.6}
        nodesFocusable={false}
        edgesFocusable={false}
        nodesDraggable={false}
        nodesConnectable={false}
        zoomOnDoubleClick={false}
        preventScrolling={false}
        zoomOnScroll={false}
        proOptions={{ hideAttribution: true }}
      >
        <Surroundings frame={frame} onResize={onResize} />
        <Background gap={22} />
        <Controls showInteractive={false} fitViewOptions={fitOptions} />
        {graph.nodes.length >= mapFrom && (
          <MiniMap pannable zoomable ariaLabel="Minimap of the resources" nodeColor={colorOnMap} />
        )}
      </ReactFlow>
    </div>
  );
}

/** Sets an attribute for the style sheet when the zoom level is too low for details. Reports changes in the available space. */
function Surroundings({
  frame,
  onResize,
}: {
  readonly frame: RefObject<HTMLDivElement | null>;
  readonly onResize: () => void;
}): ReactNode {
  const isFar = useStore(({ transform }) => transform[2] < farZoom);
  const room = useStore(({ width, height }) => `${width} ${height}`);
  const resize = useRef(onResize);
  resize.current = onResize;
  useEffect(() => frame.current?.setAttribute("data-far", String(isFar)), [isFar, frame]);
  useEffect(() => resize.current(), [room]);
  return null;
}

/** Returns the layout. State changes alone do not trigger a new layout. */
function usePicture({ nodes, edges }: Graph): LayeredPicture {
  const boxes = nodes.map((node) => ({ id: node.address, width: cardWidth, height: heightOfCard(node) }));
  const key = JSON.stringify([boxes, edges]);
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- the key contains everything that the layout depends on
  return useMemo(() => layOutLayers(boxes, edges), [key]);
}

/** Returns every instance with its position, ordered from left to right and top to bottom. */
function listInOrder({ nodes }: Graph, { boxes }: LayeredPicture): { address: string; node: string; layer: number; y: number }[] {
  const known = new Map(nodes.map((node) => [node.address, node]));
  return boxes
    .toSorted((a, b) => a.layer - b.layer || a.y - b.y)
    .flatMap(({ id, layer, y }) => (known.get(id)?.instances ?? []).map(({ address }) => ({ address, node: id, layer, y })));
}

function findNear({ nodes, edges }: Graph, chosen: string): (Set<string> & { center?: string }) | undefined {
  const node = nodes.find(({ instances }) => instances.some(({ address }) => address === chosen));
  if (node === undefined) return undefined;
  const own = node.address;
  const near: Set<string> & { center?: string } = new Set([own]);
  for (const { from, to } of edges) if (from === own || to === own) near.add(from).add(to);
  near.center = own;
  return near;
}

function toneOfEdge(from: ResourceNode["state"] | undefined, to: ResourceNode["state"] | undefined): string {
  if (from === "FAILED") return "bad";
  if (to === "RUNNING") return "busy";
  return from === "DONE" && (to === "DONE" || to === "FAILED") ? "good" : "idle";
}

function colorOnMap({ data }: CardNode): string {
  return `var(--cw-${{ WAITING: "idle", RUNNING: "busy", DONE: "good", FAILED: "bad" }[data.node.state]})`;
}

function bringIntoView(
  flow: ReactFlowInstance<CardNode, WaitingEdgeType> | null,
  { boxes }: LayeredPicture,
  address: string,
  order: readonly { readonly address: string; readonly node: string }[],
): void {
  const box = boxes.find(({ id }) => id === order.find((each) => each.address === address)?.node);
  if (flow === null || box === undefined) return;
  void flow.setCenter(box.x + box.width / 2, box.y + box.height / 2, { zoom: Math.max(flow.getZoom(), farZoom) });
}
