import { Button } from "@mantine/core";
import { getKind } from "@cloudwright/contract/kinds";
import { findCloud } from "@cloudwright/contract/clouds";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { lazy, Suspense, type ReactNode } from "react";
import { countBy, hasCondition, phaseOf } from "../../data/entity-state.ts";
import { summarizeDrift } from "../../data/drift-state.ts";
import { useEntities, useLive } from "../../data/live.tsx";
import { loadChunk } from "../../data/load-chunk.ts";
import { findEntityPath, pathOf } from "../../data/paths.ts";
import { anywhere, useCan } from "../../data/permissions.ts";
import { useProject } from "../../data/project.ts";
import { driftsQuery, runsQuery } from "../../data/queries.ts";
import { useLocations } from "../../data/use-locations.ts";
import { Icon, type IconName } from "../../design/icons.tsx";
import { Empty, Note, Page, Panel } from "../../design/layout.tsx";
import { toneOf, type Tone } from "../../design/phase.ts";
import { listedKinds } from "../../kinds/registry.ts";
import { BarList } from "./bar-list.tsx";
import { ClusterGlance } from "./cluster-glance.tsx";
import { Shares } from "./shares.tsx";
import { FirstSteps } from "./first-steps.tsx";
import { RecentEvents } from "./recent-events.tsx";
import { WorkList } from "./work-list.tsx";

const builtKinds = listedKinds.filter(({ kind }) => getKind(kind).provisioned);

const ActivityChart = lazy(async () => ({ default: (await loadChunk(() => import("./activity-chart.tsx"))).ActivityChart }));

/** Shows the state of the project: entities, operations in progress, drift and pending approvals. */
export function OverviewPage(): ReactNode {
  const project = useProject();
  const can = useCan();
  const synced = useLive((state) => state.synced);
  const locations = useLocations();
  const accounts = useEntities("Account");
  const networks = useEntities("Network");
  const clusters = useEntities("Cluster");
  const pools = useEntities("NodePool");
  const operations = useEntities("Operation");
  const { data: drifts = [] } = useQuery(driftsQuery(project));
  const { data: runs = [] } = useQuery(runsQuery(project));
  const working = operations.filter(({ status }) => status?.state === "WAITING" || status?.state === "RUNNING");
  const open = drifts.filter(({ state }) => state === "OPEN");
  const waiting = runs.filter(({ state }) => state === "NEEDS_APPROVAL");
  const kinds = useLive((state) => state.kinds);
  const lists = builtKinds.map((view) => ({ ...view, entities: [...(kinds[view.kind]?.values() ?? [])] }));
  const all = lists.flatMap(({ entities }) => entities);
  const checked = lists.filter(({ kind }) => getKind(kind).hasDriftChecks === true).flatMap(({ entities }) => entities);
  const ill = all.filter(({ status }) => status?.phase === "FAILED" || status?.phase === "DEGRADED");
  const nodes = clusters.reduce((sum, { status }) => sum + (status?.readyNodes ?? 0), 0);
  const simulated = accounts.filter(({ spec }) => spec?.simulated === true).length;
  const upgradable = clusters.filter((each) => hasCondition(each, "UpgradeAvailable")).length;
  // Checks all entities, because a user whose role covers only one environment sees the entities of that environment but no accounts.
  if (synced && all.length === 0) return <FirstSteps mayCreate={can("Account", "create")} />;
  return (
    <Page
      title="Overview"
      sub={simulated > 0 ? `Simulated accounts: ${simulated} of ${accounts.length}. They incur no costs.` : undefined}
      actions={
        can("Cluster", "create", anywhere) && (
          <Button component={Link} to={pathOf(project, "new", "cluster")} leftSection={<Icon name="plus" size={16} />}>
            Create cluster
          </Button>
        )
      }
    >
      <div className="cw-stack">
        {waiting.length > 0 && (
          <Note tone="warn">
            <p>
              {waiting.length === 1 ? "A plan needs" : `${waiting.length} plans need`} approval:{" "}
              {waiting.slice(0, 3).map((run, index) => (
                <span key={run.uid}>
                  {index > 0 && ", "}
                  <Link to={pathOf(project, "runs", run.uid ?? "")}>{run.entityName}</Link>
                </span>
              ))}
            </p>
          </Note>
        )}
        <div className="cw-grid cw-even">
          <Figure
            icon="cluster"
            label="Clusters"
            value={clusters.length}
            to={pathOf(project, "k", "clusters")}
            hint={[
              `${clusters.filter(({ status }) => status?.phase === "RUNNING").length} running`,
              plural(nodes, "node"),
              plural(pools.length, "pool"),
              ...(upgradable > 0 ? [`${upgradable} upgradable`] : []),
            ].join(" · ")}
          />
          <Figure
            icon="operation"
            label="Operations in progress"
            value={working.length}
            to={pathOf(project, "operations")}
            hint={working.length === 0 ? "nothing queued" : "show progress"}
            tone={working.length > 0 ? "busy" : undefined}
          />
          <Figure
            icon="drift"
            label="Drift"
            value={open.length}
            to={pathOf(project, "drift")}
            hint={summarizeDrift(checked)}
            tone={open.length > 0 ? "warn" : undefined}
          />
          <Figure
            icon="alert"
            label="Needs attention"
            value={ill.length}
            to={pathOf(project, "tree")}
            hint={
              ill.length === 0
                ? "no failed or degraded entities"
                : ill
                    .slice(0, 2)
                    .map(({ metadata }) => metadata.name)
                    .join(", ")
            }
            tone={ill.length > 0 ? "bad" : undefined}
          />
          <Panel title="States" span={5}>
            <div className="cw-stack">
              {lists.map(({ kind, list, entities }) => (
                <Shares
                  key={kind}
                  label={list.title}
                  to={pathOf(project, "k", getKind(kind).collection)}
                  total={entities.length}
                  parts={countBy(entities, phaseOf).map(([word, count]) => ({ word, count, tone: toneOf(word) }))}
                />
              ))}
            </div>
          </Panel>
          <Panel title="Distribution" span={7}>
            <div className="cw-quarters">
              <BarList
                title="Kubernetes"
                to={pathOf(project, "k", "clusters")}
                of={countBy(clusters, ({ spec, status }) => status?.version || spec?.version || "latest")}
              />
              <BarList
                title="Regions"
                to={pathOf(project, "k", "clusters")}
                of={countBy(clusters, (each) => locations.of("Cluster", each).region || "default")}
              />
              <BarList
                title="Environments"
                to={pathOf(project, "k", "clusters")}
                of={countBy(
                  clusters.filter(({ metadata }) => metadata.environment !== ""),
                  ({ metadata }) => metadata.environment ?? "",
                )}
              />
              <BarList
                title="Clouds"
                to={pathOf(project, "k", "clusters")}
                of={countBy(clusters, (each) => findCloud(locations.of("Cluster", each).cloud)?.title ?? "unknown")}
              />
            </div>
          </Panel>
          <Panel title="Clusters" flush>
            <ClusterGlance clusters={clusters} />
          </Panel>
          <Panel title="Operations in progress" span={5} flush>
            <WorkList project={project} operations={working} />
          </Panel>
          <Panel title="Operations in the last hour" span={7}>
            <Suspense fallback={<div style={{ height: 220 }} />}>
              <ActivityChart operations={operations} />
            </Suspense>
          </Panel>
          <Panel title="Recent activity" flush>
            <RecentEvents project={project} pathTo={(kind, name) => findEntityPath(project, kind, name)} />
          </Panel>
        </div>
        {synced && clusters.length === 0 && networks.length === 0 && (
          <Panel>
            <Empty
              icon="network"
              title="Next step: create a network"
              action={
                can("Network", "create", anywhere) && (
                  <Button component={Link} to={pathOf(project, "new", "network")}>
                    Create network
                  </Button>
                )
              }
            >
              Clusters need a network in an account. The form shows how the network's address range is divided into subnets.
            </Empty>
          </Panel>
        )}
      </div>
    </Page>
  );
}

function Figure(props: {
  readonly icon: IconName;
  readonly label: string;
  readonly value: number;
  readonly hint: string;
  readonly to: string;
  readonly tone?: Tone | undefined;
}): ReactNode {
  return (
    <Link to={props.to} className="cw-panel cw-figure" data-span={3}>
      <dl style={{ margin: 0 }}>
        <dt>
          <Icon name={props.icon} size={16} />
          {props.label}
        </dt>
        <dd data-tone={props.tone} style={props.tone === undefined ? undefined : { color: "var(--tone)" }}>
          {props.value.toLocaleString("en")}
          <small>{props.hint}</small>
        </dd>
      </dl>
    </Link>
  );
}

function plural(count: number, word: string): string {
  return `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;
}
