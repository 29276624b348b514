import type { AnyEntity, Stored } from "@cloudwright/api-client";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useLive } from "../../data/live.tsx";
import { entityPath, pathOf } from "../../data/paths.ts";
import { useProject } from "../../data/project.ts";
import { childrenOf, findByName, findOwner, listLinked, type Placed } from "../../data/references.ts";
import { Icon } from "../../design/icons.tsx";
import { Panel } from "../../design/layout.tsx";
import { Phase } from "../../design/status.tsx";
import type { KindView } from "../../kinds/kind-view.ts";
import { iconOfKind, nounOf } from "../../kinds/registry.ts";

/** Lists an entity's parent, children and linked entities. */
export function Related({ view, entity }: { readonly view: KindView; readonly entity: Stored<AnyEntity> }): ReactNode {
  const { kind, detail } = view;
  const project = useProject();
  const kinds = useLive((state) => state.kinds);
  const owner = findOwner(kind, entity);
  const above = owner === undefined ? undefined : findByName(kinds, owner.kind, owner.name);
  const below =
    detail.members !== undefined
      ? detail.members.flatMap((each) =>
          [...(kinds[each]?.values() ?? [])]
            .filter(({ metadata }) => metadata.environment === entity.metadata.name)
            .map((found): Placed => ({ kind: each, entity: found })),
        )
      : [...childrenOf(kinds, { kind, entity }), ...listLinked(kinds, { kind, entity })];
  if (above === undefined && below.length === 0) return null;
  return (
    <Panel
      title="Related"
      flush
      actions={
        detail.members === undefined && (
          <Link to={pathOf(project, "tree")} className="cw-small">
            Tree
          </Link>
        )
      }
    >
      <table className="cw-plain">
        <tbody>
          {above !== undefined && <Line placed={above} hint={`parent ${nounOf(above.kind)}`} />}
          {below.slice(0, 50).map((placed) => (
            <Line key={placed.entity.metadata.uid} placed={placed} hint={nounOf(placed.kind)} />
          ))}
        </tbody>
      </table>
    </Panel>
  );
}

function Line({ placed, hint }: { readonly placed: Placed; readonly hint: string }): ReactNode {
  const { metadata, status } = placed.entity;
  return (
    <tr>
      <td>
        <Icon name={iconOfKind(placed.kind)} size={16} />{" "}
        <Link className="cw-name" to={entityPath(useProject(), placed.kind, metadata.name, metadata.parent)}>
          {metadata.name}
        </Link>{" "}
        <span className="cw-muted cw-small">{hint}</span>
      </td>
      <td style={{ textAlign: "right" }}>
        <Phase state={status?.phase} />
      </td>
    </tr>
  );
}
