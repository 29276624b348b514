import { Fault } from "@cloudwright/platform/fault";
import type { CommonFlags } from "../common-flags.ts";
import { cliFaults } from "../faults.ts";
import type { World } from "../world.ts";
import { createPaint, type Paint } from "./paint.ts";
import { renderTable, type Column } from "./table.ts";

const formats = ["table", "wide", "json", "yaml", "name", "jsonpath"] as const;
type Format = (typeof formats)[number];

/** Prints a command's results in the selected format. */
export interface Output {
  readonly format: Format;
  /** True if the user passed `-o`. In that case, confirmations are also printed in the selected format. */
  readonly isChosen: boolean;
  /** True if only data and errors are printed. */
  readonly isQuiet: boolean;
  readonly paint: Paint;
  /** Prints one line of data to standard output. */
  line(text: string): void;
  /** Prints a confirmation, unless `--quiet` is set. */
  done(text: string): void;
  /** Prints a note to standard error, unless `--quiet` is set. */
  note(text: string): void;
  table<Row>(columns: readonly Column<Row>[], rows: readonly Row[], options?: { heading?: boolean }): void;
  /** Prints a value as JSON or YAML, or renders it with a JSONPath template. */
  structure(value: unknown): Promise<void>;
}

export function createOutput(world: Pick<World, "stdout" | "stderr" | "environment">, flags: CommonFlags): Output {
  const { format, template } = parseFormat(flags.output);
  const write = (text: string): void => world.stdout.write(`${text}\n`);
  return {
    format,
    isChosen: flags.output !== undefined,
    isQuiet: flags.quiet === true,
    paint: createPaint(world.stdout, world.environment, flags.color),
    line: write,
    done: (text) => {
      if (flags.quiet !== true) write(text);
    },
    note: (text) => {
      if (flags.quiet !== true) world.stderr.write(`${text}\n`);
    },
    table: (columns, rows, options) => {
      for (const text of renderTable(columns, rows, options)) write(text);
    },
    async structure(value) {
      if (format === "json") write(JSON.stringify(value, undefined, 2));
      else if (format === "yaml") world.stdout.write(await renderYaml(value));
      else {
        const { renderJsonPath } = await import("./jsonpath.ts");
        write(renderJsonPath(template, value).replace(/\n$/, ""));
      }
    },
  };
}

/** Renders YAML without line folding or anchors, so that outputs can be compared with `diff`. */
export async function renderYaml(value: unknown): Promise<string> {
  const { stringify } = await import("yaml");
  return stringify(value, { lineWidth: 0, aliasDuplicateObjects: false });
}

/** Returns true for formats that print complete values rather than columns. */
export function isStructured(format: Format): boolean {
  return format === "json" || format === "yaml" || format === "jsonpath";
}

function parseFormat(text = "table"): { format: Format; template: string } {
  const [name, ...rest] = text.split("=");
  const format = formats.find((known) => known === name);
  const template = rest.join("=");
  if (format === undefined || (format === "jsonpath") !== rest.length > 0 || (format === "jsonpath" && template === "")) {
    throw new Fault(cliFaults.usage, `unknown output format "${text}"; use table, wide, json, yaml, name or jsonpath=TEMPLATE`);
  }
  return { format, template };
}
