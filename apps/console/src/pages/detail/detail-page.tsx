import { Button, Menu, Tabs } from "@mantine/core";
import type { AnyEntity, Stored } from "@cloudwright/api-client";
import { findCloud } from "@cloudwright/contract/clouds";
import { findKind, getKind, type KindName } from "@cloudwright/contract/kinds";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { lazy, Suspense, useState, type ReactNode } from "react";
import { client } from "../../data/client.ts";
import { useEntity } from "../../data/live.tsx";
import { loadChunk } from "../../data/load-chunk.ts";
import { entityPath, isNested, pathOf, placeOf } from "../../data/paths.ts";
import { useCan } from "../../data/permissions.ts";
import { useProject } from "../../data/project.ts";
import { useLocations } from "../../data/use-locations.ts";
import { Icon } from "../../design/icons.tsx";
import { Empty, Note, Page, Panel } from "../../design/layout.tsx";
import { Phase, Simulated, Tag } from "../../design/status.tsx";
import { toast, toastFault } from "../../design/toasts.tsx";
import { Missing } from "../../shell/broken.tsx";
import type { KindView, MenuEntry } from "../../kinds/kind-view.ts";
import { describeKind, findKindView, kindViews, pluralOf } from "../../kinds/registry.ts";
import { marksOf } from "../list/columns.tsx";
import { Conditions } from "./conditions.tsx";
import { DeleteDialog } from "../delete/delete-dialog.tsx";
import { DriftPanel } from "./drift-panel.tsx";
import { EntityEvents } from "./entity-events.tsx";
import { EntityRuns } from "./entity-runs.tsx";
import { Related } from "./related.tsx";
import { Summary } from "./summary.tsx";

const YamlEditor = lazy(async () => ({ default: (await loadChunk(() => import("./yaml-editor.tsx"))).YamlEditor }));

/** Shows one entity of any kind that is not nested. */
export function DetailPage(): ReactNode {
  const { kind: collection = "", name = "" } = useParams({ strict: false });
  const view = findKindView(findKind(collection)?.kind ?? "");
  return view === undefined ? <Missing /> : <Detail key={`${collection}/${name}`} view={view} name={name} />;
}

/** Shows one entity of a nested kind, such as a node pool. */
export function NestedDetailPage(): ReactNode {
  const { cluster = "", name = "" } = useParams({ strict: false });
  const view = kindViews.find(({ kind }) => isNested(kind));
  return view === undefined ? <Missing /> : <Detail key={`${cluster}/${name}`} view={view} name={name} parent={cluster} />;
}

function Detail({ view, name, parent }: { readonly view: KindView; readonly name: string; readonly parent?: string }): ReactNode {
  const { kind, noun, detail } = view;
  const project = useProject();
  const can = useCan();
  const locations = useLocations();
  const navigate = useNavigate();
  const entity = useEntity<KindName>(kind, name, parent) as Stored<AnyEntity> | null | undefined;
  const [isDeleting, setDeleting] = useState(false);
  const [opened, setOpened] = useState<MenuEntry>();
  const [hasOpenedYaml, setHasOpenedYaml] = useState(false);
  const { collection, provisioned, parent: above } = getKind(kind);
  const up =
    parent === undefined || above === undefined ? pathOf(project, "k", collection) : entityPath(project, above.kind, parent);
  if (entity === undefined)
    return (
      <Page title={name}>
        <div style={{ height: 400 }} aria-busy="true" />
      </Page>
    );
  if (entity === null)
    return (
      <Page title={name}>
        <Panel>
          <Empty
            icon="search"
            title={`No ${noun} named ${name}`}
            action={
              <Button component={Link} to={up} variant="default">
                Back to list
              </Button>
            }
          >
            It may have been deleted.
          </Empty>
        </Panel>
      </Page>
    );
  const { metadata, status } = entity;
  const environment = metadata.environment ?? "";
  const where = locations.of(kind, entity);
  const mayChange = can(kind, "update", environment);
  const resource = client.resource(kind, placeOf(project, kind, parent));
  const turn = async (verb: "pause" | "resume"): Promise<void> => {
    await resource.act(name, verb).then(() => toast("good", `${name} is ${verb}d`), toastFault);
  };
  const menu = (detail.menu ?? []).filter(
    ({ needs: [of, verb], isOffered }) => can(of, verb, environment) && isOffered?.(entity) !== false,
  );
  const message = status?.message ?? "";
  return (
    <Page
      name={name}
      title={
        <span className="cw-row">
          {name}
          {provisioned && <Phase state={status?.phase} />}
          <Simulated is={where.simulated} />
          {marksOf(entity).map((mark) => (
            <Tag key={mark} tone="warn">
              {mark}
            </Tag>
          ))}
        </span>
      }
      sub={[describeKind(view, entity, where), findCloud(where.cloud)?.title ?? "", where.region, environment]
        .filter((word) => word !== "")
        .join(" · ")}
      crumbs={
        <>
          <Link className="cw-link" to={up}>
            {parent ?? pluralOf(kind)}
          </Link>
          <Icon name="chevron" size={13} />
          <span aria-current="page">{name}</span>
        </>
      }
      actions={
        <>
          <Suspense>{detail.renderActions?.({ entity, where, can: (of, verb) => can(of, verb, environment) })}</Suspense>
          {(mayChange || can(kind, "delete", environment)) && (
            <Menu position="bottom-end">
              <Menu.Target>
                <Button variant="default" rightSection={<Icon name="down" size={14} />}>
                  More
                </Button>
              </Menu.Target>
              <Menu.Dropdown>
                {menu.map((entry) => {
                  const shared = { leftSection: <Icon name={entry.icon} size={16} />, children: entry.label };
                  return entry.pathOf === undefined ? (
                    <Menu.Item {...shared} key={entry.label} onClick={() => setOpened(entry)} />
                  ) : (
                    <Menu.Item {...shared} key={entry.label} component={Link} to={entry.pathOf(project, entity)} />
                  );
                })}
                {provisioned && can(kind, "pause", environment) && (
                  <Menu.Item
                    leftSection={<Icon name={metadata.paused === true ? "run" : "pause"} size={16} />}
                    onClick={() => void turn(metadata.paused === true ? "resume" : "pause")}
                  >
                    {metadata.paused === true ? "Resume" : "Pause"}
                  </Menu.Item>
                )}
                {can(kind, "delete", environment) && (
                  <Menu.Item color="red" leftSection={<Icon name="trash" size={16} />} onClick={() => setDeleting(true)}>
                    Delete…
                  </Menu.Item>
                )}
              </Menu.Dropdown>
            </Menu>
          )}
        </>
      }
    >
      <Suspense>{opened?.renderDialog?.({ entity, onClose: () => setOpened(undefined) })}</Suspense>
      {isDeleting && (
        <DeleteDialog
          kind={kind}
          entities={[entity]}
          onClose={(isDone) => {
            setDeleting(false);
            if (isDone && detail.isDeletedAtOnce === true) void navigate({ to: up });
          }}
        />
      )}
      <div className="cw-stack">
        {message !== "" && status?.phase !== "RUNNING" && (
          <Note tone={status?.phase === "FAILED" ? "bad" : status?.phase === "DEGRADED" ? "warn" : "busy"}>
            <p>{message}</p>
            {metadata.operation !== undefined && metadata.operation !== "" && (
              <p className="cw-small">
                <Link to={pathOf(project, "operations", metadata.operation)}>Show operation</Link>
              </p>
            )}
          </Note>
        )}
        <Tabs defaultValue="summary" keepMounted={false} onChange={(tab) => setHasOpenedYaml(hasOpenedYaml || tab === "yaml")}>
          <Tabs.List mb={16}>
            <Tabs.Tab value="summary">Summary</Tabs.Tab>
            {detail.hasRuns && <Tabs.Tab value="runs">Runs</Tabs.Tab>}
            {can("Event", "list") && <Tabs.Tab value="events">Events</Tabs.Tab>}
            <Tabs.Tab value="yaml">YAML</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="summary">
            <div className="cw-grid">
              <div className="cw-stack" data-span={7}>
                <Panel title="Summary">
                  <Summary view={view} entity={entity} where={where} />
                </Panel>
                <Suspense>{detail.renderContent?.(entity)}</Suspense>
              </div>
              <div className="cw-stack" data-span={5}>
                {provisioned && (
                  <Panel title="Conditions" flush>
                    <Conditions of={status?.conditions ?? []} />
                  </Panel>
                )}
                {getKind(kind).hasDriftChecks === true && <DriftPanel entity={entity} />}
                <Suspense>{detail.renderPanels?.(entity)}</Suspense>
                <Related view={view} entity={entity} />
              </div>
            </div>
          </Tabs.Panel>
          <Tabs.Panel value="runs">
            <EntityRuns uid={metadata.uid} />
          </Tabs.Panel>
          <Tabs.Panel value="events">
            <EntityEvents uid={metadata.uid} />
          </Tabs.Panel>
          {/* Stays mounted, so that a look at another tab does not discard a draft or hide that saving it failed. */}
          <Tabs.Panel value="yaml" keepMounted>
            {hasOpenedYaml && (
              <Suspense fallback={<div style={{ height: 400 }} />}>
                <YamlEditor kind={kind} entity={entity} mayChange={mayChange} />
              </Suspense>
            )}
          </Tabs.Panel>
        </Tabs>
      </div>
    </Page>
  );
}
