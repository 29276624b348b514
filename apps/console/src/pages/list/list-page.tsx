import { Button } from "@mantine/core";
import { getKind } from "@cloudwright/contract/kinds";
import { Link, useParams } from "@tanstack/react-router";
import { useMemo, useState, type ReactNode } from "react";
import { useEntities, useLive } from "../../data/live.tsx";
import { pathOf } from "../../data/paths.ts";
import { anywhere, useCan } from "../../data/permissions.ts";
import { useProject } from "../../data/project.ts";
import { useLocations } from "../../data/use-locations.ts";
import { DataTable } from "../../design/data-table.tsx";
import { Icon } from "../../design/icons.tsx";
import { Empty, Page, Panel } from "../../design/layout.tsx";
import { Loading } from "../../design/loading.tsx";
import { Missing } from "../../shell/broken.tsx";
import type { Row } from "../../kinds/kind-view.ts";
import { listedKinds } from "../../kinds/registry.ts";
import { BulkActions } from "./bulk-actions.tsx";
import { columnsOf } from "./columns.tsx";
import { Filters } from "./filters.tsx";
import { noFilters, passes, type ListFilters } from "./list-filters.ts";
import { countChildren } from "./count-children.ts";

/** Lists all entities of one kind. */
export function ListPage(): ReactNode {
  const { kind: collection = "" } = useParams({ strict: false });
  const view = listedKinds.find(({ kind }) => getKind(kind).collection === collection);
  return view === undefined ? <Missing /> : <EntityList key={collection} view={view} />;
}

function EntityList({ view }: { readonly view: (typeof listedKinds)[number] }): ReactNode {
  const { kind, icon, noun, list, form } = view;
  const { title } = list;
  const project = useProject();
  const can = useCan();
  const locations = useLocations();
  const synced = useLive((state) => state.synced);
  const entities = useEntities(kind);
  const [filters, setFilters] = useState<ListFilters>(noFilters);
  const environments = useEntities("Environment");
  const kinds = useLive((state) => state.kinds);
  const counts = useMemo(() => countChildren(kinds, list), [kinds, list]);
  const all = useMemo(
    () =>
      (entities as readonly Row["entity"][]).map((entity): Row => ({
        entity,
        where: locations.of(kind, entity),
        childCount: counts.get(entity.metadata.name) ?? 0,
      })),
    [entities, locations, kind, counts],
  );
  const rows = useMemo(() => all.filter((row) => passes(row, filters)), [all, filters]);
  const columns = useMemo(() => columnsOf(view, project), [view, project]);
  const create = can(kind, "create", anywhere) && (
    <Button
      component={Link}
      to={pathOf(project, "new", getKind(kind).words[0] ?? "")}
      leftSection={<Icon name="plus" size={16} />}
    >
      Create {noun}
    </Button>
  );
  return (
    <Page title={title} sub={list.description} actions={create}>
      <Panel flush>
        {synced ? (
          <DataTable
            label={title}
            rows={rows}
            columns={columns}
            keyOf={({ entity }) => entity.metadata.uid}
            initialSort={{ id: "name", down: false }}
            bulk={can(kind, "delete") ? (chosen, clear) => <BulkActions kind={kind} chosen={chosen} onDone={clear} /> : undefined}
            tools={
              <Filters
                rows={all}
                environments={form.hasEnvironment ? environments.map(({ metadata }) => metadata.name) : []}
                value={filters}
                onChange={setFilters}
              />
            }
            empty={
              filters === noFilters ? (
                <Empty icon={icon} title={`No ${title.toLowerCase()} yet`} action={create}>
                  {list.emptyText}
                </Empty>
              ) : (
                <Empty
                  icon="search"
                  title={`No ${title.toLowerCase()} match the filters`}
                  action={
                    <Button variant="default" onClick={() => setFilters(noFilters)}>
                      Clear filters
                    </Button>
                  }
                />
              )
            }
          />
        ) : (
          <Loading rows={8} />
        )}
      </Panel>
    </Page>
  );
}
