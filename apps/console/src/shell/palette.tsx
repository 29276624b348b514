import { Kbd, Modal, useComputedColorScheme, useMantineColorScheme } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useMemo, useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import { useLive } from "../data/live.tsx";
import { useCan } from "../data/permissions.ts";
import { useProject } from "../data/project.ts";
import { projectsQuery } from "../data/queries.ts";
import { Icon } from "../design/icons.tsx";
import { listEntries, type Entry } from "./palette-entries.ts";

const mostShown = 40;

/** Renders the command palette with actions, pages, entities and projects. Filters them as the user types. */
export function Palette(props: {
  readonly onClose: () => void;
  readonly onHelp: () => void;
  readonly onSignOut: () => void;
}): ReactNode {
  const { onClose, onHelp, onSignOut } = props;
  const project = useProject();
  const can = useCan();
  const state = useLive((live) => live.kinds);
  const { data: projects } = useQuery(projectsQuery);
  const navigate = useNavigate();
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme("light", { getInitialValueInEffect: false });
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const list = useRef<HTMLUListElement>(null);
  const entries = useMemo(() => {
    const other = scheme === "dark" ? "light" : "dark";
    const actions: readonly Entry[] = [
      {
        group: "Actions",
        label: `Switch to ${other}`,
        hint: "",
        icon: scheme === "dark" ? "sun" : "moon",
        to: () => setColorScheme(other),
      },
      { group: "Actions", label: "Keyboard shortcuts", hint: "?", icon: "info", to: onHelp },
      { group: "Actions", label: "API reference", hint: "", icon: "code", to: () => location.assign("/docs") },
      { group: "Actions", label: "Sign out", hint: "", icon: "out", to: onSignOut },
    ];
    const names = (projects ?? []).map(({ metadata }) => metadata.name);
    return listEntries(project, state, can, names, actions);
  }, [project, state, can, projects, scheme, setColorScheme, onHelp, onSignOut]);
  const words = text.toLowerCase().split(/\s+/);
  const found = rank(
    entries.filter(({ label, hint }) => words.every((word) => `${label} ${hint}`.toLowerCase().includes(word))),
    words[0] ?? "",
  ).slice(0, mostShown);
  const go = (entry: Entry | undefined): void => {
    if (entry === undefined) return;
    onClose();
    if (typeof entry.to === "string") void navigate({ to: entry.to });
    else entry.to();
  };
  const onKey = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setAt((index) => Math.min(found.length - 1, Math.max(0, index + step)));
    } else if (event.key === "Enter") go(found[at]);
  };
  useEffect(() => list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" }), [at]);
  return (
    <Modal
      opened
      onClose={onClose}
      withCloseButton={false}
      padding={0}
      size={600}
      yOffset="12vh"
      centered={false}
      title={<span className="cw-visually-hidden">Search and commands</span>}
      classNames={{ header: "cw-no-header" }}
    >
      <div className="cw-palette">
        <input
          autoFocus
          data-autofocus
          placeholder="Search or jump to…"
          aria-label="Search and commands"
          role="combobox"
          aria-expanded="true"
          aria-controls="palette-list"
          aria-activedescendant={found[at] === undefined ? undefined : `palette-${at}`}
          value={text}
          onKeyDown={onKey}
          onChange={(event) => {
            setText(event.currentTarget.value);
            setAt(0);
          }}
        />
        <ul id="palette-list" role="listbox" aria-label="Results" ref={list}>
          {found.map((entry, index) => (
            <li
              key={`${entry.group}${entry.hint}${entry.label}`}
              data-group={entry.group === found[index - 1]?.group ? undefined : entry.group}
              id={`palette-${index}`}
              role="option"
              aria-selected={index === at}
              onMouseMove={() => setAt(index)}
              onClick={() => go(entry)}
            >
              <Icon name={entry.icon} />
              {entry.label}
              <small data-tone={entry.tone}>{entry.hint}</small>
            </li>
          ))}
          {found.length === 0 && (
            <li role="option" aria-selected="false" aria-disabled="true">
              No matches.
            </li>
          )}
        </ul>
        <footer>
          <span>
            <Kbd size="xs">↑</Kbd> <Kbd size="xs">↓</Kbd> to select
          </span>
          <span>
            <Kbd size="xs">Enter</Kbd> to open
          </span>
          <span>
            <Kbd size="xs">Esc</Kbd> to close
          </span>
        </footer>
      </div>
    </Modal>
  );
}

/** Ranks entries that start with the first search word highest, and moves their groups up as well. */
function rank(entries: readonly Entry[], word: string): readonly Entry[] {
  const begins = ({ label }: Entry): number => (label.toLowerCase().startsWith(word) ? 0 : 1);
  const first = new Map<string, number>();
  for (const entry of entries) first.set(entry.group, Math.min(begins(entry), first.get(entry.group) ?? 1));
  const groups = [...new Set(entries.map(({ group }) => group))].toSorted((a, b) => (first.get(a) ?? 1) - (first.get(b) ?? 1));
  return groups.flatMap((group) => entries.filter((entry) => entry.group === group).toSorted((a, b) => begins(a) - begins(b)));
}
