import { Handle, Position, type Node, type NodeProps } from "@xyflow/react";
import { memo, type KeyboardEvent, type ReactNode } from "react";
import { Icon } from "../../../design/icons.tsx";
import { useNow } from "../../../design/use-now.ts";
import { signs } from "../group-changes.ts";
import { keyOf, readableType, type ResourceNode } from "./build-graph.ts";
import { describeProgress, iconOfType, toneOfResource } from "./describe-resource.ts";
import type { ResourceProgress } from "./resource-progress.ts";

export interface CardData extends Record<string, unknown> {
  readonly node: ResourceNode;
  readonly isPlanOnly: boolean;
  /** The address of the selected instance, which may be in another card. */
  readonly chosen: string;
  /** The address of the only instance in the tab order. Arrow keys reach the others. */
  readonly reachable: string;
  readonly isDimmed: boolean;
  readonly onChoose: (address: string) => void;
  readonly onKey: (address: string, event: KeyboardEvent) => void;
}

export type CardNode = Node<CardData, "resource">;

/** Conventional resource names that carry no information. */
const usualNames = new Set(["this", "main"]);
/** If a resource has more instances than this, each is drawn as an unnamed square. */
const mostNamed = 6;
/** The maximum key length at which three keys fit in a row. */
const shortKey = 8;
export const cardWidth = 216;

/** Returns the height of a card for the layout. */
export function heightOfCard(node: ResourceNode): number {
  const count = node.instances.length;
  if (count === 1) return 52;
  return count <= mostNamed ? 56 + Math.ceil(count / countColumns(node)) * 26 : 56 + Math.ceil(count / 10) * 20;
}

function countColumns(node: ResourceNode): number {
  const longest = Math.max(...node.instances.map(({ address }) => shortenKey(address, node).length));
  return longest <= shortKey ? 3 : 2;
}

/** Renders a resource with its action and progress. Shows each instance if there are several. */
export const ResourceCard = memo(function Card({ data }: NodeProps<CardNode>): ReactNode {
  const { node, isPlanOnly, isDimmed } = data;
  const now = useNow(node.state === "RUNNING");
  const [first] = node.instances;
  if (first === undefined) return null;
  const action = gatherAction(node);
  const { sign, tone } = signs[action] ?? { sign: "?", tone: "bad" };
  const done = node.instances.filter(({ state }) => state === "DONE").length;
  const isSingle = node.instances.length === 1;
  const names = [node.module, usualNames.has(node.name) ? "" : node.name].filter((name) => name !== "");
  const head = (
    <>
      <span className="cw-card-icon">
        <Icon name={iconOfType(node.type)} size={15} />
      </span>
      <span className="cw-card-text">
        <strong>
          {readableType(node.type)}
          {names.length > 0 && <span aria-hidden="true"> {names.join(" ")}</span>}
        </strong>
        <small>
          {names.length > 0 && <b>{names.join(" ")}</b>}
          {isSingle ? describeProgress(first, now, isPlanOnly) : describeMany(node, done, isPlanOnly)}
        </small>
      </span>
      <span className="cw-card-sign" data-tone={tone} title={action}>
        {sign}
      </span>
    </>
  );
  return (
    <div
      className="cw-card"
      style={{ width: cardWidth, height: heightOfCard(node) }}
      data-tone={toneOfResource(node.state, action, isPlanOnly)}
      data-state={node.state}
      data-action={action}
      data-dimmed={isDimmed}
      data-chosen={node.instances.some(({ address }) => address === data.chosen)}
    >
      <Handle type="target" position={Position.Left} isConnectable={false} />
      {isSingle ? (
        <Instance of={first} data={data} now={now} className="cw-card-head">
          {head}
        </Instance>
      ) : (
        <>
          <div className="cw-card-head">{head}</div>
          <div className="cw-card-parts" data-named={node.instances.length <= mostNamed} data-columns={countColumns(node)}>
            {node.instances.map((each) => (
              <Instance key={each.address} of={each} data={data} now={now} className="cw-card-part">
                {node.instances.length <= mostNamed && shortenKey(each.address, node)}
              </Instance>
            ))}
          </div>
        </>
      )}
      <Handle type="source" position={Position.Right} isConnectable={false} />
    </div>
  );
});

function Instance(props: {
  readonly of: ResourceProgress;
  readonly data: CardData;
  readonly now: number;
  readonly className: string;
  readonly children: ReactNode;
}): ReactNode {
  const { address, action, state } = props.of;
  const { isPlanOnly, chosen, reachable, onChoose, onKey } = props.data;
  const said = describeProgress(props.of, props.now, isPlanOnly);
  return (
    <button
      type="button"
      className={`${props.className} nodrag nopan`}
      data-address={address}
      data-tone={toneOfResource(state, action, isPlanOnly)}
      data-state={state}
      aria-pressed={chosen === address}
      title={`${address}\n${said}`}
      tabIndex={reachable === address ? 0 : -1}
      onClick={() => onChoose(address)}
      onKeyDown={(event) => onKey(address, event)}
    >
      {props.children}
      <span className="cw-visually-hidden">
        {address}: {said}
      </span>
    </button>
  );
}

/** Returns the key of an instance without the prefix that all keys share: `1a` for `west-1a` if all keys start with `west-`. */
function shortenKey(address: string, { instances }: ResourceNode): string {
  const keys = instances.map((each) => keyOf(each.address));
  const [first = ""] = keys;
  const shared = /^.*[-/.:]/s.exec(first)?.[0] ?? "";
  const own = keyOf(address);
  return shared !== "" && keys.every((key) => key.startsWith(shared)) ? own.slice(shared.length) : own;
}

const worst = ["replace", "delete", "update", "create"];

function gatherAction({ instances }: ResourceNode): string {
  const actions = instances.map(({ action }) => action);
  return worst.find((action) => actions.includes(action)) ?? actions[0] ?? "";
}

function describeMany(node: ResourceNode, done: number, isPlanOnly: boolean): string {
  const all = node.instances.length;
  const failed = node.instances.filter(({ state }) => state === "FAILED").length;
  if (failed > 0) return `${failed} of ${all} failed`;
  return isPlanOnly && done === 0 ? `${all} instances` : `${done} of ${all} done`;
}
