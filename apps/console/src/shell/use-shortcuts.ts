import type { KindName } from "@cloudwright/api-client";
import { getKind } from "@cloudwright/contract/kinds";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { pathOf } from "../data/paths.ts";
import { anywhere, useCan } from "../data/permissions.ts";
import { useProject } from "../data/project.ts";
import { kindViews } from "../kinds/registry.ts";
import { navigation } from "./navigation.ts";

/** The page path for each key that can follow `g`. */
const pages: ReadonlyMap<string, readonly string[]> = new Map(
  navigation.flatMap(({ places }) => places.flatMap(({ key, path }) => (key === undefined ? [] : [[key, path] as const]))),
);

/** The kind of entity to create for each key that can follow `c`. */
const creations: ReadonlyMap<string, KindName> = new Map(
  kindViews.flatMap(({ kind, shortcuts }) => (shortcuts?.create === undefined ? [] : [[shortcuts.create, kind] as const])),
);

const secondKeyWithinMs = 1200;

/**
 * Handles keyboard shortcuts: `?` for help, `/` for the filter, and `g` or `c` followed by another key. Ignores keys while the user is
 * typing text.
 */
export function useShortcuts({ onHelp }: { readonly onHelp: () => void }): void {
  const project = useProject();
  const navigate = useNavigate();
  const can = useCan();
  const latest = useRef({ project, can, onHelp });
  latest.current = { project, can, onHelp };
  useEffect(() => {
    let first: { readonly key: string; readonly at: number } | undefined;
    const press = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || document.querySelector("[role=dialog]"))
        return;
      const begun = first !== undefined && event.timeStamp - first.at < secondKeyWithinMs ? first.key : "";
      first = undefined;
      const path = begun === "g" ? pages.get(event.key) : undefined;
      const created = begun === "c" ? creations.get(event.key) : undefined;
      const { project: name, can: may, onHelp: help } = latest.current;
      if (path !== undefined) void navigate({ to: pathOf(name, ...path) });
      else if (created !== undefined) {
        if (may(created, "create", anywhere)) void navigate({ to: pathOf(name, "new", getKind(created).words[0] ?? "") });
      } else if (event.key === "g" || event.key === "c") first = { key: event.key, at: event.timeStamp };
      else if (event.key === "?") help();
      else if (event.key === "/") {
        const filter = document.querySelector<HTMLInputElement>("input[data-filter]");
        if (filter === null) return;
        event.preventDefault();
        filter.focus();
      }
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [navigate]);
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(input|textarea|select)$/i.test(target.tagName));
}
