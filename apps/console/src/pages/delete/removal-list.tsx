import type { PreviewItemJson } from "@cloudwright/api-client";
import { getKind } from "@cloudwright/contract/kinds";
import { useEffect, type ReactNode } from "react";
import type { Placed } from "../../data/references.ts";
import { Icon } from "../../design/icons.tsx";
import { Phase, Tag } from "../../design/status.tsx";
import { iconOfKind, nounOf } from "../../kinds/registry.ts";
import { titleOfPart } from "../../preflight/preview-list.tsx";
import "./removal-list.css";
import { useRemoval, type Removal, type VolumeChoice } from "./use-removal.ts";

/** The preview's note for resources that the platform created. It is not shown, because the heading above them says the same thing. */
const origin = "created by the platform";

/** Reports whether the resources of an entity are still being listed. */
export type OnPending = (uid: string, isPending: boolean) => void;

/** The maximum number of entities whose resources are listed. The number is limited, because an agent may have to compile each list. */
const mostListed = 20;

/** Lists the entities that a deletion removes, each with the cloud resources that are deleted or kept. */
export function RemovalList(props: {
  readonly going: readonly Placed[];
  readonly volumes: VolumeChoice;
  readonly onPending: OnPending;
}): ReactNode {
  const { going, volumes, onPending } = props;
  const unlisted = going.length - mostListed;
  return (
    <div className="cw-panel cw-removal" tabIndex={0} role="region" aria-label="Items to delete" data-testid="going">
      {going.map((placed, index) =>
        index < mostListed ? (
          <ListedItem
            key={placed.entity.metadata.uid}
            placed={placed}
            {...{ volumes, onPending }}
            isOpen={going.length === 1}
            isWithOwner={isWithOwner(placed, going)}
          />
        ) : (
          <Item key={placed.entity.metadata.uid} placed={placed} />
        ),
      )}
      {unlisted > 0 && (
        <p className="cw-muted cw-small">
          The cloud resources of the last {unlisted === 1 ? "item" : `${unlisted} items`} are not listed.
        </p>
      )}
    </div>
  );
}

/** Returns whether an entity is built by its owner's runs and the owner is deleted too. An example is a node pool of a deleted cluster. */
function isWithOwner({ kind, entity }: Placed, going: readonly Placed[]): boolean {
  const { builtByOwnerAs, parent } = getKind(kind);
  return (
    builtByOwnerAs !== undefined &&
    going.some((each) => each.kind === parent?.kind && each.entity.metadata.name === entity.metadata.parent)
  );
}

function Item({ placed: { kind, entity }, children }: { readonly placed: Placed; readonly children?: ReactNode }): ReactNode {
  return (
    <div className="cw-removed">
      <div className="cw-row">
        <Icon name={iconOfKind(kind)} size={16} />
        <span className="cw-muted">{nounOf(kind)}</span>
        <b>{entity.metadata.name}</b>
        <span style={{ marginLeft: "auto" }}>
          {entity.metadata.deletionPolicy === "retain" ? (
            <Tag tone="busy">resources are kept</Tag>
          ) : (
            <Phase state={entity.status?.phase} />
          )}
        </span>
      </div>
      {children}
    </div>
  );
}

function ListedItem(props: {
  readonly placed: Placed;
  readonly volumes: VolumeChoice;
  readonly onPending: OnPending;
  readonly isOpen: boolean;
  readonly isWithOwner: boolean;
}): ReactNode {
  const { placed, volumes, onPending, isOpen } = props;
  const removal = useRemoval(placed, volumes, props.isWithOwner);
  const { uid } = placed.entity.metadata;
  const isPending = removal.state === "busy";
  useEffect(() => {
    onPending(uid, isPending);
    return () => onPending(uid, false);
  }, [onPending, uid, isPending]);
  return (
    <Item placed={placed}>
      <Resources of={removal} isOpen={isOpen} />
    </Item>
  );
}

function Resources({ of: { state, items, notes }, isOpen }: { readonly of: Removal; readonly isOpen: boolean }): ReactNode {
  if (state === "none") return null;
  if (state === "busy") return <p className="cw-muted cw-small">Listing its cloud resources…</p>;
  if (state === "slow")
    return (
      <p className="cw-muted cw-small">
        Listing its cloud resources is taking longer than usual. You can delete it without waiting for the list.
      </p>
    );
  const parts = [...Map.groupBy(items, ({ part = "" }) => part)];
  return (
    <>
      {notes.map((note) => (
        <p key={note} className="cw-small cw-warned">
          {note}
        </p>
      ))}
      {state === "done" && items.length === 0 && <p className="cw-muted cw-small">No cloud resources</p>}
      {parts.map(([part, list]) => (
        // Resources that the platform created are collapsed by default, because there are usually many. Resources that the cluster itself
        // created are expanded, because users know less about them.
        <details key={part} open={part !== "infrastructure" || (isOpen && parts.length === 1)}>
          <summary>
            {titleOfPart(part)} <span className="cw-num">({describeCount(list)})</span>
          </summary>
          <ul>
            {list.map((item) => (
              <ResourceLine key={item.name} item={item} />
            ))}
          </ul>
        </details>
      ))}
    </>
  );
}

function describeCount(items: readonly PreviewItemJson[]): string {
  const kept = items.filter(({ action }) => action === "keep").length;
  return kept === 0 ? String(items.length) : `${items.length}, of which ${kept} ${kept === 1 ? "is" : "are"} kept`;
}

function ResourceLine({ item: { name, message, action } }: { readonly item: PreviewItemJson }): ReactNode {
  return (
    <li data-kept={action === "keep"}>
      <span>
        <code>{name}</code> {message !== origin && <span className="cw-muted">{message}</span>}
      </span>
      {action === "keep" && <Tag tone="good">kept</Tag>}
      {(action === "update" || action === "create" || action === "replace") && <Tag tone="busy">{action}</Tag>}
    </li>
  );
}
