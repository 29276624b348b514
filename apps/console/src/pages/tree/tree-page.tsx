import { Button, CloseButton, TextInput } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { Link } from "@tanstack/react-router";
import { lazy, Suspense, useMemo, useState, type ReactNode } from "react";
import { countBy, phaseOf } from "../../data/entity-state.ts";
import { useLive } from "../../data/live.tsx";
import { loadChunk } from "../../data/load-chunk.ts";
import { pathOf } from "../../data/paths.ts";
import { useCan } from "../../data/permissions.ts";
import { useProject } from "../../data/project.ts";
import type { Placed } from "../../data/references.ts";
import { Icon } from "../../design/icons.tsx";
import { Empty, Page, Panel } from "../../design/layout.tsx";
import { Loading } from "../../design/loading.tsx";
import { readable, toneOf } from "../../design/phase.ts";
import { layOutTree } from "./lay-out-tree.ts";
import { TreeOutline } from "./tree-outline.tsx";

const TreePicture = lazy(async () => ({ default: (await loadChunk(() => import("./tree-picture.tsx"))).TreePicture }));

/** Shows the tree of accounts, networks, clusters, node pools and storage, with their current states. */
export function TreePage(): ReactNode {
  const project = useProject();
  const can = useCan();
  const kinds = useLive((state) => state.kinds);
  const synced = useLive((state) => state.synced);
  const isNarrow = useMediaQuery("(max-width: 700px)", false, { getInitialValueInEffect: false });
  const [filter, setFilter] = useState("");
  const tree = useMemo(() => layOutTree(kinds), [kinds]);
  const matches = useMemo(() => matcherOf(filter), [filter]);
  const phases = countBy(
    tree.boxes.flatMap((box) => (box.shape === "entity" ? [box.placed, ...box.within] : [])),
    ({ entity }) => phaseOf(entity),
  );
  return (
    <Page title="Tree" sub="Accounts, networks, clusters, node pools and storage with their current states">
      <Panel flush>
        {synced && tree.boxes.length === 0 ? (
          <Empty
            icon="graph"
            title="No entities yet"
            action={
              can("Account", "create") && (
                <Button component={Link} to={pathOf(project, "new", "account")}>
                  Create account
                </Button>
              )
            }
          >
            Accounts, networks, clusters and storage appear here.
          </Empty>
        ) : (
          <>
            <div className="cw-tools">
              <TextInput
                style={{ flex: "1 1 180px", maxWidth: 340 }}
                leftSection={<Icon name="search" size={15} />}
                placeholder="Filter the tree"
                aria-label="Filter the tree"
                data-filter
                value={filter}
                onChange={(event) => setFilter(event.currentTarget.value)}
                rightSection={filter !== "" && <CloseButton size="sm" aria-label="Clear filter" onClick={() => setFilter("")} />}
              />
              <span className="cw-legend" style={{ marginLeft: "auto" }}>
                {phases.map(([phase, count]) => (
                  <span key={phase} data-tone={toneOf(phase)}>
                    <i />
                    {readable(phase)} <b className="cw-num">{count.toLocaleString("en")}</b>
                  </span>
                ))}
              </span>
            </div>
            {!synced && <Loading rows={8} />}
            {synced && isNarrow && <TreeOutline kinds={kinds} matches={matches} />}
            {synced && !isNarrow && (
              <Suspense fallback={<Loading rows={8} />}>
                <TreePicture tree={tree} matches={matches} />
              </Suspense>
            )}
          </>
        )}
      </Panel>
    </Page>
  );
}

/** Returns a predicate that requires every word of the filter to occur in an entity's name, state, environment or labels. */
function matcherOf(filter: string): (placed: Placed) => boolean {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  return ({ kind, entity }) => {
    const { metadata } = entity;
    const labels = Object.entries(metadata.labels ?? {}).map(([key, value]) => `${key}=${value}`);
    const text = [kind, metadata.name, phaseOf(entity), metadata.environment, ...labels].join(" ").toLowerCase();
    return words.every((word) => text.includes(word));
  };
}
