import { useVirtualizer } from "@tanstack/react-virtual";
import { memo, useCallback, type CSSProperties, type ReactNode } from "react";
import type { Column } from "./arrange-rows.ts";

/** The height of every table row, in pixels. */
export const rowHeight = 45;

/** Renders the visible table rows. It is a separate component, so that scrolling re-renders only rows that come into view. */
export function TableRows<Row>(props: {
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row) => string;
  readonly template: string;
  readonly scroller: HTMLElement | null;
  readonly chosen: ReadonlySet<string>;
  /** Called when a row is selected or deselected. If undefined, rows cannot be selected. */
  readonly onChoose: ((key: string) => void) | undefined;
}): ReactNode {
  const { rows, columns, keyOf, template, scroller, chosen, onChoose } = props;
  // This function is memoized, because a new one would make the virtualizer measure all rows again.
  const keyAt = useCallback((index: number) => keyOf(rows[index] as Row), [rows, keyOf]);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller,
    estimateSize: () => rowHeight,
    overscan: 6,
    getItemKey: keyAt,
    // Lets rows appear one frame late, so that rendering never blocks scrolling.
    useFlushSync: false,
  });
  return (
    <div role="rowgroup" className="cw-rows cw-virtual" style={{ height: virtual.getTotalSize() }}>
      {virtual.getVirtualItems().map(({ index, start, key }) => {
        const row = rows[index] as Row;
        return (
          <TableRow
            key={key}
            row={row}
            columns={columns as readonly Column<unknown>[]}
            index={index}
            top={start}
            template={template}
            isChosen={chosen.has(String(key))}
            id={String(key)}
            onChoose={onChoose}
          />
        );
      })}
    </div>
  );
}

interface RowProps {
  readonly row: unknown;
  readonly columns: readonly Column<unknown>[];
  readonly index: number;
  readonly top: number;
  readonly template: string;
  readonly id: string;
  readonly isChosen: boolean;
  readonly onChoose: ((key: string) => void) | undefined;
}

const TableRow = memo(function TableRow({ row, columns, index, top, template, id, isChosen, onChoose }: RowProps): ReactNode {
  const style: CSSProperties = { gridTemplateColumns: template, height: rowHeight, transform: `translateY(${top}px)` };
  return (
    <div className="cw-tr" role="row" aria-rowindex={index + 2} data-selected={isChosen} style={style}>
      {onChoose !== undefined && (
        <div role="cell" className="cw-pick">
          <input
            type="checkbox"
            className="cw-check"
            aria-label={`Select ${columns[0]?.text(row) ?? ""}`}
            checked={isChosen}
            onChange={() => onChoose(id)}
          />
        </div>
      )}
      {columns.map(({ id: column, text, render, wide, isNumber }) => (
        <div key={column} role="cell" className={wide === true ? "cw-wide" : undefined} data-number={isNumber}>
          {render === undefined ? text(row) : render(row)}
        </div>
      ))}
    </div>
  );
});
