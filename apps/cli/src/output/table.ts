/** A table column. */
export interface Column<Row> {
  readonly title: string;
  readonly value: (row: Row) => string;
  /** Shown only with `-o wide`. */
  readonly wide?: boolean;
  /** Colours a cell after it has been padded. */
  readonly paint?: ((cell: string) => string) | undefined;
}

interface Layout {
  readonly heading?: boolean;
  /** Minimum column widths. They grow to fit the rows. */
  readonly widths?: number[];
}

/** Renders a table with two spaces between columns and no trailing spaces. */
export function renderTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[], layout: Layout = {}): string[] {
  const { heading = true, widths = columns.map(({ title }) => title.length) } = layout;
  const cells = rows.map((row) => columns.map((column) => flatten(column.value(row))));
  for (const line of cells) for (const [index, cell] of line.entries()) widths[index] = Math.max(widths[index] ?? 0, cell.length);
  const pad = (cell: string, index: number): string => (index === columns.length - 1 ? cell : cell.padEnd(widths[index] ?? 0));
  const titles = columns.map(({ title }, index) => pad(title, index));
  const lines = cells.map((line) => line.map((cell, index) => columns[index]?.paint?.(pad(cell, index)) ?? pad(cell, index)));
  return [...(heading ? [titles] : []), ...lines].map((line) => line.join("  ").trimEnd());
}

/** Replaces control characters, so that a name or message cannot manipulate the terminal. */
export function flatten(text: string): string {
  // oxlint-disable-next-line no-control-regex -- the function replaces control characters
  return text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, " ");
}

/**
 * Renders a table whose rows arrive over time. The header is printed with the first rows. Later rows keep the column widths if they
 * fit.
 */
export function createLiveTable<Row>(columns: readonly Column<Row>[]): (rows: readonly Row[]) => string[] {
  const widths = columns.map(({ title }) => title.length);
  let isFirst = true;
  return (rows) => {
    const lines = renderTable(columns, rows, { heading: isFirst, widths });
    isFirst = false;
    return lines;
  };
}
