import { Link } from "@tanstack/react-router";
import { Handle, Position, type Node, type NodeProps } from "@xyflow/react";
import type { EntityByKind } from "@cloudwright/api-client";
import type { ReactNode } from "react";
import { phaseOf } from "../../data/fleet.ts";
import type { Placed } from "../../data/subtree.ts";
import { Icon } from "../../design/icons.tsx";
import { readable, toneOf } from "../../design/phase.ts";
import { Simulated } from "../../design/status.tsx";
import { iconOfKind } from "../create/creatable.ts";

/** An entity in the picture. */
export type EntityNode = Node<
  {
    readonly placed: Placed;
    readonly within: readonly Placed[];
    readonly isSimulated: boolean;
    readonly isFaint: boolean;
    readonly pathTo: (placed: Placed) => string;
  },
  "entity"
>;

const mostChips = 3;
/** Edges attach at the height of the name. */
const handleAt = 29;

/** Renders an entity with its state and the entities inside it. */
export function EntityBox({ data: { placed, within, isSimulated, isFaint, pathTo } }: NodeProps<EntityNode>): ReactNode {
  const { metadata } = placed.entity;
  const phase = phaseOf(placed.entity);
  return (
    <div className="cw-node nodrag nopan" data-tone={toneOf(phase)} data-faint={isFaint}>
      <Handle type="target" position={Position.Left} isConnectable={false} style={{ top: handleAt }} />
      <Link className="cw-inside" to={pathTo(placed)} title={metadata.name}>
        <strong>
          <Icon name={iconOfKind(placed.kind)} size={15} />
          <span>{metadata.name}</span>
          <Simulated is={isSimulated} />
        </strong>
        <small>
          <b>{readable(phase)}</b> {factOf(placed)}
        </small>
      </Link>
      {within.length > 0 && (
        <div className="cw-chips">
          {within.slice(0, mostChips).map((each) => (
            <Link
              key={each.entity.metadata.uid}
              className="cw-chip"
              to={pathTo(each)}
              data-tone={toneOf(phaseOf(each.entity))}
              title={`${each.kind === "NodePool" ? "node pool" : each.kind.toLowerCase()} ${each.entity.metadata.name}: ${readable(phaseOf(each.entity))}`}
            >
              <Icon name={iconOfKind(each.kind)} size={12} />
              <span>{each.entity.metadata.name}</span>
            </Link>
          ))}
          {within.length > mostChips && <small>+{within.length - mostChips}</small>}
        </div>
      )}
      <Handle type="source" position={Position.Right} isConnectable={false} style={{ top: handleAt }} />
    </div>
  );
}

/** Returns the most useful fact about an entity beside its state. */
function factOf({ kind, entity }: Placed): string {
  if (kind === "Network") return (entity as EntityByKind["Network"]).spec?.region ?? "";
  if (kind === "Cluster") {
    const { spec, status } = entity as EntityByKind["Cluster"];
    return status?.version || spec?.version || "";
  }
  if (kind === "Account") return (entity as EntityByKind["Account"]).status?.cloud ?? "";
  return "";
}
