import type { Measurement } from "./benchmark.ts";
import type { Machine } from "./machine.ts";

/** Renders a result as one line of JSON. Scripts parse this format, so it must stay stable. */
export function renderJson(measurement: Measurement): string {
  const { id, what, unit, ours, anchor, ratio, goal, held } = measurement;
  return JSON.stringify({ id, what, unit, ours: round(ours), anchor: round(anchor), ratio: round(ratio), goal, held });
}

function round(value: number): number {
  return Number(value.toPrecision(4));
}

const heads = ["id", "ours", "anchor", "ratio", "goal", "", "what"];

/** Renders the results as a table for the terminal. */
export function renderTable(measurements: readonly Measurement[]): string {
  const rows = [heads, ...measurements.map(toCells)];
  const widths = heads.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function toCells(measurement: Measurement): string[] {
  const { id, what, unit, ours, anchor, ratio, goal, held } = measurement;
  const amount = (value: number): string => `${round(value)} ${unit}`.trim();
  return [id, amount(ours), amount(anchor), ratio.toFixed(2), String(goal), held ? "held" : "MISSED", what];
}

export function renderPage(measurements: readonly Measurement[], machine: Machine): string {
  const rows = measurements.map((measurement) => {
    const [id, ours, anchor, ratio, goal, held, what] = toCells(measurement);
    return `| ${[id, what, ours, anchor, ratio, goal, held].join(" | ")} |`;
  });
  return `# Benchmarks

Written by \`npm run bench -- --write\`. Each line compares the product with an anchor, measured alternately in one run, and gives the ratio of their medians.
If the anchor is a limit, the ratio is the measured value divided by the limit. Compare ratios, not absolute numbers of different runs: the machine is shared.

| | |
|---|---|
| date | ${machine.date} |
| machine | ${machine.processor}, ${machine.cores} cores, ${machine.memoryGiB} GiB, ${machine.system}, load ${machine.load.toFixed(2)} before the run |
| runtime | Node ${machine.node}, the embedded PostgreSQL 18 |

| id | what | ours | anchor | ratio | goal | |
|---|---|---|---|---|---|---|
${rows.join("\n")}

## How

${measurements.map(({ id, how }) => `- **${id}**: ${how}.`).join("\n")}
`;
}
