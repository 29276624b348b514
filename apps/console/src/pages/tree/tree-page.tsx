import "@xyflow/react/dist/style.css";
import { Button, useComputedColorScheme } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { Background, Controls, Handle, Position, ReactFlow, type Edge, type Node, type NodeProps } from "@xyflow/react";
import { useMemo, type ReactNode } from "react";
import { useLive } from "../../data/live.tsx";
import { entityPath, pathOf } from "../../data/paths.ts";
import { useCan } from "../../data/permissions.ts";
import { useProject } from "../../data/project.ts";
import { useAtlas } from "../../data/use-atlas.ts";
import { Icon } from "../../design/icons.tsx";
import { Empty, Page, Panel } from "../../design/layout.tsx";
import { readable, toneOf } from "../../design/phase.ts";
import { Simulated } from "../../design/status.tsx";
import { iconOfKind } from "../create/creatable.ts";
import { layOutTree, type TreeNode } from "./lay-out-tree.ts";

type EntityNode = Node<{ readonly placed: TreeNode; readonly isSimulated: boolean; readonly to: string }, "entity">;
const nodeTypes = { entity: EntityBox };

/** What lies in what: accounts, their networks, the clusters in those, their pools and storage, with their states as they are now. */
export function TreePage(): ReactNode {
  const project = useProject();
  const can = useCan();
  const kinds = useLive((state) => state.kinds);
  const synced = useLive((state) => state.synced);
  const atlas = useAtlas();
  const scheme = useComputedColorScheme("light", { getInitialValueInEffect: false });
  const tree = useMemo(() => layOutTree(kinds), [kinds]);
  const nodes = useMemo(
    () =>
      tree.map((placed): EntityNode => {
        const { metadata } = placed.entity;
        return {
          id: metadata.uid,
          type: "entity",
          position: { x: placed.x, y: placed.y },
          data: {
            placed,
            isSimulated: placed.kind === "Account" && atlas.ofAccount(metadata.name).simulated,
            to: entityPath(project, placed.kind, metadata.name, metadata.parent),
          },
          draggable: false,
          connectable: false,
          focusable: false,
          deletable: false,
        };
      }),
    [tree, atlas, project],
  );
  const edges = useMemo(
    () =>
      tree.flatMap(({ entity, parentUid }): Edge[] =>
        parentUid === undefined
          ? []
          : [
              {
                id: `${parentUid}-${entity.metadata.uid}`,
                source: parentUid,
                target: entity.metadata.uid,
                animated: toneOf(entity.status?.phase ?? "") === "busy",
                focusable: false,
                type: "smoothstep",
              },
            ],
      ),
    [tree],
  );
  return (
    <Page title="Tree" sub="What lies in what, as it is now">
      <Panel flush>
        {synced && nodes.length === 0 ? (
          <Empty
            icon="graph"
            title="Nothing to draw yet"
            action={
              can("Account", "create") && (
                <Button component={Link} to={pathOf(project, "new", "account")}>
                  Create account
                </Button>
              )
            }
          >
            Accounts, networks, clusters and storage appear here as they are made.
          </Empty>
        ) : (
          <div className="cw-flow">
            {synced && (
              <ReactFlow
                nodes={nodes}
                edges={edges}
                nodeTypes={nodeTypes}
                colorMode={scheme}
                fitView
                fitViewOptions={{ maxZoom: 1, padding: 0.12 }}
                minZoom={0.15}
                nodesFocusable={false}
                edgesFocusable={false}
                proOptions={{ hideAttribution: true }}
              >
                <Background gap={22} />
                <Controls showInteractive={false} />
              </ReactFlow>
            )}
          </div>
        )}
      </Panel>
    </Page>
  );
}

function EntityBox({ data: { placed, isSimulated, to } }: NodeProps<EntityNode>): ReactNode {
  const { metadata, status } = placed.entity;
  const phase = status?.phase || "PENDING";
  return (
    <>
      <Handle type="target" position={Position.Left} isConnectable={false} style={{ opacity: 0 }} />
      <Link to={to} className="cw-node nodrag nopan" data-tone={toneOf(phase)}>
        <strong>
          <Icon name={iconOfKind(placed.kind)} size={15} /> {metadata.name}
        </strong>
        <span>
          {placed.kind === "NodePool" ? "Node pool" : placed.kind} · {readable(phase)}{" "}
          {placed.folded > 0 && `· and ${placed.folded} more`} <Simulated is={isSimulated} />
        </span>
      </Link>
      <Handle type="source" position={Position.Right} isConnectable={false} style={{ opacity: 0 }} />
    </>
  );
}
