import { getKind } from "@cloudwright/contract/kinds";
import type { LiveState } from "../data/live-store.ts";
import { entityPath, isNested, pathOf } from "../data/paths.ts";
import { anywhere, type Can } from "../data/permissions.ts";
import type { IconName } from "../design/icons.tsx";
import { readable, toneOf, type Tone } from "../design/phase.ts";
import { kindViews } from "../kinds/registry.ts";
import { navigation } from "./navigation.ts";

export interface Entry {
  readonly group: "Actions" | "Pages" | "Entities" | "Projects";
  readonly label: string;
  readonly hint: string;
  readonly icon: IconName;
  /** The path to open, or the action to run. */
  readonly to: string | (() => void);
  readonly tone?: Tone;
}

/** Lists everything that a user can open or do in a project. */
export function listEntries(
  project: string,
  state: LiveState["kinds"],
  can: Can,
  projects: readonly string[],
  actions: readonly Entry[],
): readonly Entry[] {
  const creations = kindViews
    .filter(({ kind }) => can(kind, "create", anywhere))
    .map(({ kind, noun }): Entry => ({
      group: "Actions",
      label: `Create ${noun}`,
      hint: "",
      icon: "plus",
      to: pathOf(project, "new", getKind(kind).words[0] ?? ""),
    }));
  const pages = navigation
    .flatMap(({ places }) => places)
    .filter(({ needs }) => needs === undefined || can(...needs))
    .map((place): Entry => ({
      group: "Pages",
      label: place.label,
      hint: "",
      icon: place.icon,
      to: pathOf(project, ...place.path),
    }));
  const entities = kindViews.flatMap(({ kind, noun, icon }) =>
    [...(state[kind]?.values() ?? [])].map(({ metadata, status }): Entry => {
      const hint = isNested(kind) ? `${noun} of ${metadata.parent ?? ""}` : noun;
      return {
        group: "Entities",
        label: metadata.name,
        hint: status?.phase ? `${hint} · ${readable(status.phase).toLowerCase()}` : hint,
        icon,
        to: entityPath(project, kind, metadata.name, metadata.parent),
        ...(status?.phase ? { tone: toneOf(status.phase) } : {}),
      };
    }),
  );
  const others = projects
    .filter((name) => name !== project)
    .map((name): Entry => ({
      group: "Projects",
      label: `Switch to ${name}`,
      hint: "project",
      icon: "environment",
      to: pathOf(name),
    }));
  return [...creations, ...actions, ...pages, ...entities, ...others];
}
