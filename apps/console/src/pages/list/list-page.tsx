import { Button, Select } from "@mantine/core";
import { findKind, type KindName } from "@cloudwright/contract/kinds";
import { Link, useParams } from "@tanstack/react-router";
import { useMemo, useState, type ReactNode } from "react";
import { useEntities, useLive } from "../../data/live.tsx";
import { pathOf } from "../../data/paths.ts";
import { anywhere, useCan } from "../../data/permissions.ts";
import { useProject } from "../../data/project.ts";
import { useAtlas } from "../../data/use-atlas.ts";
import { DataTable } from "../../design/data-table.tsx";
import { Icon } from "../../design/icons.tsx";
import { Empty, Page, Panel } from "../../design/layout.tsx";
import { Loading } from "../../design/loading.tsx";
import { Missing } from "../../shell/broken.tsx";
import { creatable } from "../create/creatable.ts";
import { BulkActions } from "./bulk-actions.tsx";
import { columnsOf, type Row } from "./columns.tsx";
import { countHeld } from "./count-held.ts";

/** The title and texts of each list. */
const words: Readonly<Record<string, { readonly title: string; readonly sub: string; readonly empty: string }>> = {
  accounts: {
    title: "Accounts",
    sub: "Cloud accounts and their credentials",
    empty: "An account contains the credentials for a cloud.",
  },
  networks: {
    title: "Networks",
    sub: "Address ranges and subnets for clusters",
    empty: "A network provides addresses and subnets for clusters. It requires an account.",
  },
  clusters: {
    title: "Clusters",
    sub: "Kubernetes clusters in your cloud accounts",
    empty: "A cluster requires a network. In a simulated account, a cluster with two workers is ready within seconds.",
  },
  storages: { title: "Storage", sub: "Buckets and volumes for clusters", empty: "Buckets and volumes for a cluster." },
  environments: {
    title: "Environments",
    sub: "Groups of entities for filters, overviews and roles",
    empty: "Environments group entities for filters, overviews and roles.",
  },
};

/** Lists all entities of one kind. */
export function ListPage(): ReactNode {
  const { kind: collection = "" } = useParams({ strict: false });
  const kind = findKind(collection);
  const said = words[collection];
  return kind === undefined || said === undefined ? (
    <Missing />
  ) : (
    <EntityList key={collection} collection={collection} kind={kind.kind as KindName} {...said} />
  );
}

function EntityList(props: {
  readonly collection: string;
  readonly kind: KindName;
  readonly title: string;
  readonly sub: string;
  readonly empty: string;
}): ReactNode {
  const { kind, title } = props;
  const project = useProject();
  const can = useCan();
  const atlas = useAtlas();
  const synced = useLive((state) => state.synced);
  const entities = useEntities(kind);
  const [environment, setEnvironment] = useState<string | null>(null);
  const environments = useEntities("Environment");
  const kinds = useLive((state) => state.kinds);
  const held = useMemo(() => countHeld(kinds, kind), [kinds, kind]);
  const rows = useMemo(
    () =>
      (entities as readonly Row["entity"][])
        .filter(({ metadata }) => environment === null || metadata.environment === environment)
        .map((entity): Row => ({ entity, where: atlas.of(kind, entity), held: held.get(entity.metadata.name) ?? 0 })),
    [entities, atlas, kind, environment, held],
  );
  const columns = useMemo(() => columnsOf(kind, project), [kind, project]);
  const word = creatable.find((each) => each.kind === kind)?.word;
  const create = word !== undefined && can(kind, "create", anywhere) && (
    <Button component={Link} to={pathOf(project, "new", word)} leftSection={<Icon name="plus" size={16} />}>
      Create {word}
    </Button>
  );
  const icon = creatable.find((each) => each.kind === kind)?.icon ?? "dot";
  return (
    <Page title={title} sub={props.sub} actions={create}>
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
              kind !== "Environment" &&
              environments.length > 0 && (
                <Select
                  aria-label="Environment"
                  placeholder="All environments"
                  clearable
                  size="sm"
                  w={180}
                  data={environments.map(({ metadata }) => metadata.name)}
                  value={environment}
                  onChange={setEnvironment}
                />
              )
            }
            empty={
              environment === null ? (
                <Empty icon={icon} title={`No ${title.toLowerCase()} yet`} action={create}>
                  {props.empty}
                </Empty>
              ) : (
                <Empty
                  icon="environment"
                  title={`Nothing in ${environment}`}
                  action={
                    <Button variant="default" onClick={() => setEnvironment(null)}>
                      Show all environments
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
