import { Button, Menu, Tabs } from "@mantine/core";
import type { AnyEntity, Stored } from "@cloudwright/api-client";
import { findKind, getKind, type KindName } from "@cloudwright/contract/kinds";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { lazy, Suspense, useState, type ReactNode } from "react";
import { client } from "../../data/client.ts";
import { useEntity } from "../../data/live.tsx";
import { loadPiece } from "../../data/load-piece.ts";
import { entityPath, pathOf } from "../../data/paths.ts";
import { useCan } from "../../data/permissions.ts";
import { useProject } from "../../data/project.ts";
import { useAtlas } from "../../data/use-atlas.ts";
import { Icon } from "../../design/icons.tsx";
import { Empty, Note, Page, Panel } from "../../design/layout.tsx";
import { Phase, Simulated, Tag } from "../../design/status.tsx";
import { toast, toastFault } from "../../design/toasts.tsx";
import { Missing } from "../../shell/broken.tsx";
import { marksOf } from "../list/columns.tsx";
import { AddOns } from "./add-ons.tsx";
import { Conditions } from "./conditions.tsx";
import { Connect } from "./connect.tsx";
import { DeleteDialog } from "./delete-dialog.tsx";
import { EntityEvents } from "./entity-events.tsx";
import { EntityRuns } from "./entity-runs.tsx";
import { Related } from "./related.tsx";
import { Resize } from "./resize.tsx";
import { Summary } from "./summary.tsx";
import { UpgradeDialog } from "./upgrade-dialog.tsx";

const YamlEditor = lazy(async () => ({ default: (await loadPiece(() => import("./yaml-editor.tsx"))).YamlEditor }));

/** Shows one entity of any kind. */
export function DetailPage(): ReactNode {
  const { kind: collection = "", name = "" } = useParams({ strict: false });
  const kind = findKind(collection);
  return kind === undefined ? <Missing /> : <Detail key={`${collection}/${name}`} kind={kind.kind as KindName} name={name} />;
}

/** Shows one node pool below its cluster. */
export function PoolPage(): ReactNode {
  const { cluster = "", name = "" } = useParams({ strict: false });
  return <Detail key={`${cluster}/${name}`} kind="NodePool" name={name} parent={cluster} />;
}

function Detail({ kind, name, parent }: { readonly kind: KindName; readonly name: string; readonly parent?: string }): ReactNode {
  const project = useProject();
  const can = useCan();
  const atlas = useAtlas();
  const navigate = useNavigate();
  const entity = useEntity<KindName>(kind, name, parent) as Stored<AnyEntity> | null | undefined;
  const [isDeleting, setDeleting] = useState(false);
  const [isUpgrading, setUpgrading] = useState(false);
  const { collection, provisioned, words } = getKind(kind);
  const up = kind === "NodePool" ? entityPath(project, "Cluster", parent ?? "") : pathOf(project, "k", collection);
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
            title={`No ${words[0]} named ${name}`}
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
  const where = atlas.of(kind, entity);
  const mayChange = can(kind, "update", environment);
  const resource = client.resource(kind, { project, ...(parent === undefined ? {} : { cluster: parent }) });
  const turn = async (verb: "pause" | "resume"): Promise<void> => {
    await resource.act(name, verb).then(() => toast("good", `${name} is ${verb}d`), toastFault);
  };
  const message = status?.message ?? "";
  return (
    <Page
      name={name}
      title={
        <span className="cw-row">
          {name}
          {kind !== "Environment" && <Phase state={status?.phase} />}
          <Simulated is={where.simulated} />
          {marksOf(entity).map((mark) => (
            <Tag key={mark} tone="warn">
              {mark}
            </Tag>
          ))}
        </span>
      }
      sub={[words[0], where.cloud, where.region, environment].filter((word) => word !== "").join(" · ")}
      crumbs={
        <>
          <Link className="cw-link" to={up}>
            {kind === "NodePool" ? parent : collection}
          </Link>
          <Icon name="chevron" size={13} />
          <span aria-current="page">{name}</span>
        </>
      }
      actions={
        <>
          {kind === "Account" && where.simulated && (
            <Button
              component={Link}
              to={`${pathOf(project, "simulator")}?account=${encodeURIComponent(name)}`}
              variant="default"
              leftSection={<Icon name="simulator" size={16} />}
            >
              Simulator
            </Button>
          )}
          {kind === "Cluster" && status?.phase === "RUNNING" && can("Cluster", "kubeconfig", environment) && (
            <Connect name={name} />
          )}
          {(kind === "Cluster" || kind === "NodePool") && mayChange && (
            <Resize kind={kind} name={name} entity={entity} parent={parent} />
          )}
          {(mayChange || can(kind, "delete", environment)) && (
            <Menu position="bottom-end">
              <Menu.Target>
                <Button variant="default" rightSection={<Icon name="down" size={14} />}>
                  More
                </Button>
              </Menu.Target>
              <Menu.Dropdown>
                {kind === "Cluster" && can("NodePool", "create", environment) && (
                  <Menu.Item
                    component={Link}
                    to={`${pathOf(project, "new", "nodepool")}?cluster=${encodeURIComponent(name)}`}
                    leftSection={<Icon name="plus" size={16} />}
                  >
                    Add node pool
                  </Menu.Item>
                )}
                {kind === "Cluster" && metadata.deletedAt === undefined && can("Cluster", "upgrade", environment) && (
                  <Menu.Item leftSection={<Icon name="upgrade" size={16} />} onClick={() => setUpgrading(true)}>
                    Upgrade…
                  </Menu.Item>
                )}
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
      {isUpgrading && <UpgradeDialog entity={entity} onClose={() => setUpgrading(false)} />}
      {isDeleting && (
        <DeleteDialog
          kind={kind}
          entities={[entity]}
          onClose={(isDone) => {
            setDeleting(false);
            if (isDone && kind === "Environment") void navigate({ to: up });
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
        <Tabs defaultValue="summary" keepMounted={false}>
          <Tabs.List mb={16}>
            <Tabs.Tab value="summary">Summary</Tabs.Tab>
            {provisioned && kind !== "Account" && kind !== "NodePool" && <Tabs.Tab value="runs">Runs</Tabs.Tab>}
            {can("Event", "list") && <Tabs.Tab value="events">Events</Tabs.Tab>}
            <Tabs.Tab value="yaml">YAML</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="summary">
            <div className="cw-grid">
              <Panel title="Summary" span={7}>
                <Summary kind={kind} entity={entity} where={where} />
              </Panel>
              <div className="cw-stack" data-span={5}>
                {kind !== "Environment" && (
                  <Panel title="Conditions" flush>
                    <Conditions of={status?.conditions ?? []} />
                  </Panel>
                )}
                {kind === "Cluster" && <AddOns entity={entity} />}
                <Related kind={kind} entity={entity} />
              </div>
            </div>
          </Tabs.Panel>
          <Tabs.Panel value="runs">
            <EntityRuns uid={metadata.uid} />
          </Tabs.Panel>
          <Tabs.Panel value="events">
            <EntityEvents uid={metadata.uid} />
          </Tabs.Panel>
          <Tabs.Panel value="yaml">
            <Suspense fallback={<div style={{ height: 400 }} />}>
              <YamlEditor kind={kind} entity={entity} mayChange={mayChange} />
            </Suspense>
          </Tabs.Panel>
        </Tabs>
      </div>
    </Page>
  );
}
