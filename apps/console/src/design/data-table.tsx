import { ActionIcon, Button, Checkbox, CloseButton, Menu, TextInput, Tooltip } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useCallback, useDeferredValue, useMemo, useState, type ReactNode } from "react";
import { arrangeRows, type Column, type Sorting } from "./arrange-rows.ts";
import { asPartOfSentence } from "./as-part-of-sentence.ts";
import { Icon } from "./icons.tsx";
import { rowHeight, TableRows } from "./table-rows.tsx";

/**
 * Renders a table with filtering, sorting, column selection and bulk actions. Tables of any length stay fast, because only visible rows
 * are drawn.
 */
export function DataTable<Row>(props: {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row) => string;
  readonly empty: ReactNode;
  /** Renders the bulk actions for the selected rows. If undefined, rows cannot be selected. */
  readonly bulk?: ((chosen: readonly Row[], clear: () => void) => ReactNode) | undefined;
  readonly tools?: ReactNode;
  readonly initialSort?: Sorting;
}): ReactNode {
  const { rows, columns, keyOf, label } = props;
  // Other pages can link to a list with a filter in the URL.
  const [text, setText] = useState(() => new URLSearchParams(location.search).get("filter") ?? "");
  const [sorting, setSorting] = useState<Sorting | undefined>(props.initialSort);
  const [hidden, setHidden] = useState<ReadonlySet<string>>(
    () => new Set(columns.filter((each) => each.optional === true).map(({ id }) => id)),
  );
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const filter = useDeferredValue(text);
  const shown = useMemo(() => arrangeRows(rows, columns, filter, sorting), [rows, columns, filter, sorting]);
  const visible = useMemo(() => columns.filter(({ id }) => !hidden.has(id)), [columns, hidden]);
  const [scroller, setScroller] = useState<HTMLDivElement | null>(null);
  const isChoosing = props.bulk !== undefined;
  const choose = useCallback((key: string) => setChosen((before) => toggle(before, key)), []);
  const selected = chosen.size === 0 || !isChoosing ? [] : shown.filter((row) => chosen.has(keyOf(row)));
  const isNarrow = useNarrow();
  // Columns hidden on narrow screens must not take up space there.
  const widths = visible.filter(({ wide }) => !isNarrow || wide !== true).map(({ width }) => width ?? "minmax(0, 1fr)");
  const leastWidth = widths.reduce((sum, width) => sum + Number(/(\d{1,5})px/.exec(width)?.[1] ?? 0), isChoosing ? 40 : 0);
  const template = [...(isChoosing ? ["40px"] : []), ...widths].join(" ");
  if (rows.length === 0) return props.empty;
  return (
    <div className="cw-table">
      <div className="cw-tools">
        <TextInput
          className="cw-grow"
          size="sm"
          leftSection={<Icon name="search" size={15} />}
          placeholder={`Filter ${asPartOfSentence(label)}`}
          aria-label={`Filter ${asPartOfSentence(label)}`}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          data-filter
          rightSection={text === "" ? undefined : <CloseButton size="sm" aria-label="Clear filter" onClick={() => setText("")} />}
        />
        {props.tools}
        {selected.length > 0 && props.bulk?.(selected, () => setChosen(new Set()))}
        <Menu closeOnItemClick={false} position="bottom-end">
          <Menu.Target>
            <Tooltip label="Columns">
              <ActionIcon variant="default" size={34} aria-label="Select columns">
                <Icon name="columns" size={17} />
              </ActionIcon>
            </Tooltip>
          </Menu.Target>
          <Menu.Dropdown>
            {columns.slice(1).map(({ id, title }) => (
              <Menu.Item
                key={id}
                onClick={() => setHidden(toggle(hidden, id))}
                leftSection={hidden.has(id) ? <span style={{ width: 16 }} /> : <Icon name="check" size={16} />}
              >
                {title}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      </div>
      <div
        className="cw-scroll"
        ref={setScroller}
        style={{ height: Math.max(Math.min(shown.length, 14), 1) * rowHeight + 38 }}
        tabIndex={0}
        role="region"
        aria-label={label}
      >
        <div role="table" style={{ minWidth: leastWidth }} aria-label={label} aria-rowcount={shown.length + 1}>
          <div role="rowgroup">
            <div className="cw-tr cw-th" style={{ gridTemplateColumns: template }} role="row">
              {isChoosing && (
                <div role="columnheader" className="cw-pick">
                  <Checkbox
                    size="xs"
                    aria-label="Select all"
                    checked={selected.length > 0 && selected.length === shown.length}
                    indeterminate={selected.length > 0 && selected.length < shown.length}
                    onChange={(event) => setChosen(new Set(event.currentTarget.checked ? shown.map(keyOf) : []))}
                  />
                </div>
              )}
              {visible.map(({ id, title, wide, isNumber }) => (
                <div
                  key={id}
                  role="columnheader"
                  className={wide === true ? "cw-wide" : undefined}
                  data-number={isNumber}
                  aria-sort={sorting?.id === id ? (sorting.down ? "descending" : "ascending") : undefined}
                >
                  <button type="button" onClick={() => setSorting({ id, down: sorting?.id === id && !sorting.down })}>
                    {title}
                    {sorting?.id === id && <span aria-hidden="true">{sorting.down ? "↓" : "↑"}</span>}
                  </button>
                </div>
              ))}
            </div>
          </div>
          <TableRows
            rows={shown}
            columns={visible}
            keyOf={keyOf}
            template={template}
            scroller={scroller}
            chosen={chosen}
            onChoose={isChoosing ? choose : undefined}
          />
        </div>
      </div>
      {shown.length === 0 && (
        <div className="cw-none">
          <span>No rows match the filter.</span>
          <Button size="compact-sm" variant="default" onClick={() => setText("")}>
            Show all {rows.length.toLocaleString("en")}
          </Button>
        </div>
      )}
      <div className="cw-foot" aria-live="polite">
        <span className="cw-num">
          {shown.length === rows.length
            ? `${rows.length.toLocaleString("en")} total`
            : `${shown.length.toLocaleString("en")} of ${rows.length.toLocaleString("en")}`}
        </span>
        {selected.length > 0 && <span>{selected.length} selected</span>}
      </div>
    </div>
  );
}

function toggle(set: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(set);
  if (!next.delete(id)) next.add(id);
  return next;
}

function useNarrow(): boolean {
  return useMediaQuery("(max-width: 700px)", false, { getInitialValueInEffect: false });
}
