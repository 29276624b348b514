import "./plan-diff.css";
import { Button, TextInput } from "@mantine/core";
import type { PlannedChangeJson } from "@cloudwright/api-client";
import { useState, type ReactNode } from "react";
import { Icon } from "../../design/icons.tsx";
import { Attributes } from "./attributes.tsx";
import { filterChanges, groupChanges, signs } from "./group-changes.ts";

const openUpTo = 12;
/** The filter appears for plans with at least this many changes. */
const filterFrom = 6;

/** Shows a plan resource by resource, grouped by module. Replacements and deletions come first and are red. */
export function PlanDiff({
  changes,
  isApplied = false,
}: {
  readonly changes: readonly PlannedChangeJson[];
  /** True if the plan was applied. */
  readonly isApplied?: boolean;
}): ReactNode {
  const [word, setWord] = useState("");
  const [actions, setActions] = useState<ReadonlySet<string>>(new Set());
  /** The last use of "Expand all" or "Collapse all". Each resource can still be toggled individually. */
  const [all, setAll] = useState<{ readonly isOpen: boolean; readonly turn: number }>();
  const shown = filterChanges(changes, word, actions);
  const groups = groupChanges(shown);
  const isOpen = ({ action, attributes = [] }: PlannedChangeJson): boolean =>
    attributes.length > 0 && (all?.isOpen ?? (shown.length <= openUpTo || action === "replace" || action === "delete"));
  const expandable = shown.filter(({ attributes = [] }) => attributes.length > 0);
  const areOpen = expandable.every(isOpen);
  return (
    <div data-testid="plan">
      {changes.length >= filterFrom && (
        <div className="cw-tools">
          <TextInput
            size="xs"
            className="cw-grow"
            placeholder="Filter by address or attribute"
            aria-label="Filter the plan"
            leftSection={<Icon name="search" size={13} />}
            value={word}
            onChange={(event) => setWord(event.currentTarget.value)}
          />
          <ActionChips changes={changes} chosen={actions} onChange={setActions} />
          {expandable.length > 0 && (
            <Button size="compact-xs" variant="default" onClick={() => setAll({ isOpen: !areOpen, turn: (all?.turn ?? 0) + 1 })}>
              {areOpen ? "Collapse all" : "Expand all"}
            </Button>
          )}
        </div>
      )}
      {groups.map(({ module, changes: list }) => (
        <div key={module} className="cw-group">
          <h3>
            {module === "" ? "Configuration" : module} <span className="cw-muted cw-num">{list.length}</span>
          </h3>
          {list.map((change) => (
            <Change key={`${change.address ?? ""}${all?.turn ?? 0}`} {...{ change, isApplied }} isOpen={isOpen(change)} />
          ))}
        </div>
      ))}
      {groups.length === 0 && <p className="cw-muted cw-none">No matching changes.</p>}
    </div>
  );
}

/** Filters a plan by action. With no action selected, all changes are shown. */
function ActionChips(props: {
  readonly changes: readonly PlannedChangeJson[];
  readonly chosen: ReadonlySet<string>;
  readonly onChange: (chosen: ReadonlySet<string>) => void;
}): ReactNode {
  const counts = Map.groupBy(props.changes, ({ action = "" }) => action);
  const known = Object.keys(signs).filter((action) => action !== "none" && counts.has(action));
  if (known.length < 2) return null;
  return known.map((action) => {
    const isOn = props.chosen.has(action);
    return (
      <button
        key={action}
        type="button"
        className="cw-chip"
        data-tone={signs[action]?.tone}
        aria-pressed={isOn}
        onClick={() => props.onChange(new Set([...props.chosen, action].filter((each) => !isOn || each !== action)))}
      >
        {signs[action]?.sign} {action} <span className="cw-num">{counts.get(action)?.length}</span>
      </button>
    );
  });
}

function Change(props: { readonly change: PlannedChangeJson; readonly isOpen: boolean; readonly isApplied: boolean }): ReactNode {
  const { change, isOpen, isApplied } = props;
  const { sign, tone } = signs[change.action ?? ""] ?? { sign: "?", tone: "bad" };
  const isLoss = change.action === "replace" || change.action === "delete";
  return (
    <details className="cw-change" open={isOpen} data-tone={tone} data-loss={isLoss}>
      <summary>
        <span className="cw-turn">
          <Icon name="chevron" size={14} />
        </span>
        <span className="cw-sign" title={change.action}>
          {sign}
        </span>
        <span className="cw-address">{change.address}</span>
        <span className="cw-muted cw-wide cw-why">
          {change.action === "replace" ? "will be replaced" : change.action}
          {change.reason !== undefined && change.reason !== "" && ` · ${change.reason.replaceAll("_", " ")}`}
          {(change.overwrittenPaths ?? []).length > 0 && ` · this ${isApplied ? "run undid" : "plan undoes"} the change`}
          {(change.keptPaths ?? []).length > 0 &&
            ` · this ${isApplied ? "run kept" : "plan keeps"} ${change.keptPaths?.join(", ")}`}
        </span>
      </summary>
      <Attributes change={change} />
    </details>
  );
}
