import { Link } from "@tanstack/react-router";
import { Handle, Position, type Node, type NodeProps } from "@xyflow/react";
import type { ReactNode } from "react";
import { phaseOf } from "../../data/entity-state.ts";
import type { Placed } from "../../data/references.ts";
import { Icon } from "../../design/icons.tsx";
import { readable, toneOf } from "../../design/phase.ts";
import { Simulated } from "../../design/status.tsx";
import { findKindView, iconOfKind, nounOf } from "../../kinds/registry.ts";

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
/** The vertical offset at which edges attach, level with the entity's name. */
const handleAt = 29;

/** Renders an entity with its state and the entities that it contains. */
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
          <b>{readable(phase)}</b> {findKindView(placed.kind)?.describe?.(placed.entity)}
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
              title={`${nounOf(each.kind)} ${each.entity.metadata.name}: ${readable(phaseOf(each.entity))}`}
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
