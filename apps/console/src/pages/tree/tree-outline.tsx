import type { ReactNode } from "react";
import { phaseOf } from "../../data/entity-state.ts";
import type { LiveState } from "../../data/live-store.ts";
import { entityPath } from "../../data/paths.ts";
import { useProject } from "../../data/project.ts";
import { childrenOf, listRoots, type Placed } from "../../data/references.ts";
import { useLocations } from "../../data/use-locations.ts";
import { EntityLabel } from "../../design/entity-label.tsx";
import { Phase } from "../../design/status.tsx";
import { iconOfKind } from "../../kinds/registry.ts";

const most = 200;

/** Shows the tree as nested lists, for screens too small for the picture. */
export function TreeOutline({
  kinds,
  matches,
}: {
  readonly kinds: LiveState["kinds"];
  readonly matches: (placed: Placed) => boolean;
}): ReactNode {
  return <Branch kinds={kinds} of={listRoots(kinds)} matches={matches} />;
}

function Branch({
  kinds,
  of,
  matches,
}: {
  readonly kinds: LiveState["kinds"];
  readonly of: readonly Placed[];
  readonly matches: (placed: Placed) => boolean;
}): ReactNode {
  const project = useProject();
  const locations = useLocations();
  if (of.length === 0) return null;
  return (
    <ul className="cw-outline">
      {of.slice(0, most).map((placed) => {
        const { metadata } = placed.entity;
        return (
          <li key={metadata.uid}>
            <div data-faint={!matches(placed)}>
              <EntityLabel
                icon={iconOfKind(placed.kind)}
                name={metadata.name}
                to={entityPath(project, placed.kind, metadata.name, metadata.parent)}
                simulated={locations.of(placed.kind, placed.entity).simulated}
              />
              <Phase state={phaseOf(placed.entity)} />
            </div>
            <Branch kinds={kinds} of={childrenOf(kinds, placed)} matches={matches} />
          </li>
        );
      })}
    </ul>
  );
}
