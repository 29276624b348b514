import {
  ActionIcon,
  AppShell,
  Burger,
  Kbd,
  Menu,
  Select,
  Tooltip,
  useComputedColorScheme,
  useMantineColorScheme,
} from "@mantine/core";
import { useDisclosure, useHotkeys } from "@mantine/hooks";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useRouter, useRouterState } from "@tanstack/react-router";
import { lazy, Suspense, useCallback, useEffect, type ReactNode } from "react";
import { LiveProvider, useEntities, useLive } from "../data/live.tsx";
import { loadChunk } from "../data/load-chunk.ts";
import { pathOf } from "../data/paths.ts";
import { useCan } from "../data/permissions.ts";
import { useProject } from "../data/project.ts";
import { driftsQuery, projectsQuery } from "../data/queries.ts";
import { sessionQuery, signOut, useSession } from "../data/session.ts";
import { Icon } from "../design/icons.tsx";
import { toastFault } from "../design/toasts.tsx";
import { navigation, type Destination } from "./navigation.ts";
import { ProjectPage } from "./refused.tsx";
import { ShellMain } from "./shell-main.tsx";
import { useShortcuts } from "./use-shortcuts.ts";

const Shortcuts = lazy(async () => ({ default: (await loadChunk(() => import("./shortcuts.tsx"))).Shortcuts }));
const Palette = lazy(async () => ({ default: (await loadChunk(() => import("./palette.tsx"))).Palette }));

/** Renders the frame around every page: navigation, project switcher and connection status. */
export function Shell(): ReactNode {
  const project = useProject();
  const [isOpen, menu] = useDisclosure(false);
  const [isSearching, search] = useDisclosure(false);
  const [isHelping, help] = useDisclosure(false);
  const leave = useSignOut();
  useShortcuts({ onHelp: help.open });
  const path = useRouterState({ select: ({ location }) => location.pathname });
  useHotkeys([["mod+K", search.open]], []);
  const close = menu.close;
  useEffect(() => close(), [path, close]);
  return (
    <LiveProvider key={project} project={project}>
      <a className="cw-skip" href="#main">
        Skip to content
      </a>
      <AppShell header={{ height: 54 }} navbar={{ width: 212, breakpoint: "sm", collapsed: { mobile: !isOpen } }} padding={0}>
        <AppShell.Header className="cw-header">
          <div className="cw-row" style={{ height: "100%", padding: "0 14px", flexWrap: "nowrap" }}>
            <Burger opened={isOpen} onClick={menu.toggle} hiddenFrom="sm" size="sm" aria-label="Navigation" />
            <Link to={pathOf(project)} className="cw-brand" aria-label="Cloudwright">
              <img src="/assets/favicon.svg" alt="" />
              <span className="cw-wide">Cloudwright</span>
            </Link>
            <ProjectSwitcher project={project} />
            <div style={{ flex: 1 }} />
            <button type="button" className="cw-searchbox" onClick={search.open}>
              <Icon name="search" size={15} />
              <span>Search or jump to</span>
              <Kbd size="xs">Ctrl K</Kbd>
            </button>
            <LiveLamp />
            <SchemeButton />
            <UserMenu onHelp={help.open} onSignOut={leave} />
          </div>
        </AppShell.Header>
        <AppShell.Navbar className="cw-navbar" aria-label="Project">
          <Navigation project={project} />
        </AppShell.Navbar>
        <ShellMain>
          <ProjectPage />
        </ShellMain>
      </AppShell>
      {isSearching && (
        <Suspense>
          <Palette onClose={search.close} onHelp={help.open} onSignOut={leave} />
        </Suspense>
      )}
      {isHelping && (
        <Suspense>
          <Shortcuts onClose={help.close} />
        </Suspense>
      )}
    </LiveProvider>
  );
}

function Navigation({ project }: { readonly project: string }): ReactNode {
  const can = useCan();
  const { data: drifts = [] } = useQuery(driftsQuery(project));
  const open = drifts.filter(({ state }) => state === "OPEN").length;
  return (
    <div className="cw-nav">
      {navigation.map(({ title, places }) => (
        <div key={title}>
          {title !== "" && <h2>{title}</h2>}
          {places
            .filter(({ needs }) => needs === undefined || can(...needs))
            .map((place) => {
              const to = pathOf(project, ...place.path);
              return (
                <Link key={to} to={to} activeOptions={{ exact: place.path.length === 0 }}>
                  <Icon name={place.icon} />
                  {place.label}
                  {place.kind !== undefined && <Count kind={place.kind} />}
                  {place.label === "Drift" && open > 0 && (
                    <span className="cw-count" data-tone="warn">
                      {open}
                    </span>
                  )}
                </Link>
              );
            })}
        </div>
      ))}
    </div>
  );
}

function Count({ kind }: { readonly kind: NonNullable<Destination["kind"]> }): ReactNode {
  const { length } = useEntities(kind);
  return <span className="cw-count">{length === 0 ? "" : length.toLocaleString("en")}</span>;
}

function ProjectSwitcher({ project }: { readonly project: string }): ReactNode {
  const { data = [] } = useQuery(projectsQuery);
  const navigate = useNavigate();
  const names = new Set([project, ...data.map(({ metadata }) => metadata.name)]);
  return (
    <Select
      aria-label="Project"
      size="sm"
      w={150}
      data={[...names]}
      value={project}
      allowDeselect={false}
      searchable={names.size > 8}
      onChange={(next) => next !== null && void navigate({ to: pathOf(next) })}
    />
  );
}

const lampWords = { connecting: "Connecting", live: "Live", reconnecting: "Reconnecting", refused: "Refused" };

function LiveLamp(): ReactNode {
  const status = useLive((state) => state.status);
  const label =
    status === "live"
      ? "Changes appear immediately"
      : status === "refused"
        ? "The server denies access to this project"
        : "The data may be outdated. Reconnecting to the server.";
  return (
    <Tooltip label={label}>
      <span className="cw-live" data-status={status} role="status">
        <i />
        <span className="cw-wide">{lampWords[status]}</span>
      </span>
    </Tooltip>
  );
}

function SchemeButton(): ReactNode {
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme("light", { getInitialValueInEffect: false });
  const other = scheme === "dark" ? "light" : "dark";
  return (
    <Tooltip label={`Switch to ${other}`}>
      <ActionIcon variant="subtle" color="gray" size={34} aria-label={`Switch to ${other}`} onClick={() => setColorScheme(other)}>
        <Icon name={scheme === "dark" ? "sun" : "moon"} />
      </ActionIcon>
    </Tooltip>
  );
}

function useSignOut(): () => void {
  const queries = useQueryClient();
  const router = useRouter();
  return useCallback(() => {
    const leave = async (): Promise<void> => {
      try {
        await signOut();
        queries.clear();
        queries.setQueryData(sessionQuery.queryKey, null);
        await router.navigate({ to: "/sign-in" });
      } catch (error) {
        toastFault(error);
      }
    };
    void leave();
  }, [queries, router]);
}

function UserMenu({ onHelp, onSignOut }: { readonly onHelp: () => void; readonly onSignOut: () => void }): ReactNode {
  const session = useSession();
  const user = session?.user ?? "";
  return (
    <Menu position="bottom-end" width={210}>
      <Menu.Target>
        <ActionIcon variant="light" radius="xl" size={32}>
          <span style={{ fontWeight: 650, fontSize: 13 }}>{user.slice(0, 2).toUpperCase()}</span>
          <span className="cw-visually-hidden">: signed in as {user}</span>
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Signed in as {user}</Menu.Label>
        <Menu.Item component="a" href="/docs" leftSection={<Icon name="code" size={16} />}>
          API reference
        </Menu.Item>
        <Menu.Item leftSection={<Icon name="info" size={16} />} rightSection={<Kbd size="xs">?</Kbd>} onClick={onHelp}>
          Keyboard shortcuts
        </Menu.Item>
        <Menu.Item leftSection={<Icon name="out" size={16} />} onClick={onSignOut}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
