import type { QueryClient } from "@tanstack/react-query";
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from "@tanstack/react-router";
import { loadChunk } from "./data/load-chunk.ts";
import { chooseProject } from "./data/project.ts";
import { projectsQuery } from "./data/queries.ts";
import { sessionQuery } from "./data/session.ts";
import { Broken, Missing } from "./shell/broken.tsx";
import { Shell } from "./shell/shell.tsx";

const root = createRootRouteWithContext<{ queries: QueryClient }>()({ component: Outlet, notFoundComponent: Missing });

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  validateSearch: (search: Record<string, unknown>): { to?: string } =>
    typeof search["to"] === "string" ? { to: search["to"] } : {},
  component: lazyRouteComponent(() => loadChunk(() => import("./pages/sign-in/sign-in-page.tsx")), "SignInPage"),
});

const start = createRoute({
  getParentRoute: () => root,
  path: "/",
  errorComponent: Broken,
  beforeLoad: async ({ context }) => {
    await requireSession(context.queries, "/");
    const projects = await context.queries.ensureQueryData(projectsQuery).catch(() => []);
    redirect({
      to: "/p/$project",
      params: { project: chooseProject(projects.map(({ metadata }) => metadata.name)) },
      throw: true,
    });
  },
});

const project = createRoute({
  getParentRoute: () => root,
  path: "/p/$project",
  component: Shell,
  errorComponent: Broken,
  beforeLoad: ({ context, location }) => requireSession(context.queries, location.href),
});

/** Redirects signed-out users to the sign-in page, which returns them to `to` afterwards. */
async function requireSession(queries: QueryClient, to: string): Promise<void> {
  const session = await queries.ensureQueryData(sessionQuery);
  if (session === null) redirect({ to: "/sign-in", search: { to }, throw: true });
}

const at = <Path extends string>(path: Path, load: Parameters<typeof lazyRouteComponent>[0], name: string) =>
  createRoute({
    getParentRoute: () => project,
    path,
    component: lazyRouteComponent(() => loadChunk(load), name as never),
    errorComponent: Broken,
  });

const pages = [
  at("/", () => import("./pages/overview/overview-page.tsx"), "OverviewPage"),
  at("/tree", () => import("./pages/tree/tree-page.tsx"), "TreePage"),
  at("/operations", () => import("./pages/operations/operations-page.tsx"), "OperationsPage"),
  at("/operations/$name", () => import("./pages/operation/operation-page.tsx"), "OperationPage"),
  at("/runs", () => import("./pages/runs/runs-page.tsx"), "RunsPage"),
  at("/runs/$uid", () => import("./pages/run/run-page.tsx"), "RunPage"),
  at("/drift", () => import("./pages/drift/drift-page.tsx"), "DriftPage"),
  at("/states", () => import("./pages/states/states-page.tsx"), "StatesPage"),
  at("/states/$uid", () => import("./pages/states/state-page.tsx"), "StatePage"),
  at("/audit", () => import("./pages/audit/audit-page.tsx"), "AuditPage"),
  at("/agents", () => import("./pages/agents/agents-page.tsx"), "AgentsPage"),
  at("/grants", () => import("./pages/grants/grants-page.tsx"), "GrantsPage"),
  at("/backends", () => import("./pages/backends/backends-page.tsx"), "BackendsPage"),
  at("/access", () => import("./pages/access/access-page.tsx"), "AccessPage"),
  at("/simulator", () => import("./pages/simulator/simulator-page.tsx"), "SimulatorPage"),
  at("/new/$kind", () => import("./pages/create/create-page.tsx"), "CreatePage"),
  at("/k/$kind", () => import("./pages/list/list-page.tsx"), "ListPage"),
  at("/k/$kind/$name", () => import("./pages/detail/detail-page.tsx"), "DetailPage"),
  at("/c/$cluster/$name", () => import("./pages/detail/detail-page.tsx"), "NestedDetailPage"),
];

const tree = root.addChildren([signIn, start, project.addChildren(pages)]);

/** Creates the console's router. Each page is loaded on its first visit. */
export function createAppRouter(queries: QueryClient) {
  return createRouter({ routeTree: tree, context: { queries }, defaultPreload: "intent", scrollRestoration: true });
}
