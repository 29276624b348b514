import { Modal } from "@mantine/core";
import { kinds } from "@cloudwright/contract/kinds";
import { useNavigate } from "@tanstack/react-router";
import { useMemo, useState, type KeyboardEvent, type ReactNode } from "react";
import { useLive } from "../data/live.tsx";
import { entityPath, pathOf } from "../data/paths.ts";
import { useCan } from "../data/permissions.ts";
import { useProject } from "../data/project.ts";
import { Icon, type IconName } from "../design/icons.tsx";
import { navigation } from "./navigation.ts";
import { creatable, iconOfKind } from "../pages/create/creatable.ts";

interface Entry {
  readonly label: string;
  readonly hint: string;
  readonly icon: IconName;
  readonly to: string;
}

const mostShown = 40;

/** Goes anywhere by a few letters: pages, things to make, and everything that exists. */
export function Palette({ onClose }: { readonly onClose: () => void }): ReactNode {
  const project = useProject();
  const can = useCan();
  const state = useLive((live) => live.kinds);
  const navigate = useNavigate();
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const entries = useMemo(() => {
    const pages = navigation
      .flatMap(({ places }) => places)
      .filter(({ needs }) => needs === undefined || can(...needs))
      .map((place): Entry => ({ label: place.label, hint: "page", icon: place.icon, to: pathOf(project, ...place.path) }));
    const making = creatable
      .filter(({ kind }) => can(kind, "create"))
      .map(({ word }): Entry => ({
        label: `Create ${word}`,
        hint: "action",
        icon: "plus",
        to: pathOf(project, "new", word),
      }));
    const things = kinds
      .filter(({ provisioned, kind }) => provisioned || kind === "Environment")
      .flatMap(({ kind, words }) =>
        [...(state[kind]?.values() ?? [])].map(({ metadata }): Entry => ({
          label: metadata.name,
          hint: kind === "NodePool" ? `pool of ${metadata.parent ?? ""}` : (words[0] ?? ""),
          icon: iconOfKind(kind),
          to: entityPath(project, kind, metadata.name, metadata.parent),
        })),
      );
    return [...pages, ...making, ...things];
  }, [project, state, can]);
  const words = text.toLowerCase().split(/\s+/);
  const found = entries
    .filter(({ label, hint }) => words.every((word) => `${label} ${hint}`.toLowerCase().includes(word)))
    .slice(0, mostShown);
  const go = (entry: Entry | undefined): void => {
    if (entry === undefined) return;
    onClose();
    void navigate({ to: entry.to });
  };
  const onKey = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setAt((index) => Math.min(found.length - 1, Math.max(0, index + step)));
    } else if (event.key === "Enter") go(found[at]);
  };
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
        <ul id="palette-list" role="listbox" aria-label="Results">
          {found.map((entry, index) => (
            <li
              key={`${entry.to}${entry.label}`}
              id={`palette-${index}`}
              role="option"
              aria-selected={index === at}
              onMouseMove={() => setAt(index)}
              onClick={() => go(entry)}
            >
              <Icon name={entry.icon} />
              {entry.label}
              <small>{entry.hint}</small>
            </li>
          ))}
          {found.length === 0 && (
            <li role="option" aria-selected="false" aria-disabled="true">
              Nothing is called that.
            </li>
          )}
        </ul>
      </div>
    </Modal>
  );
}
