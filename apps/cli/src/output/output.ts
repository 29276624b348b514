import { Fault } from "@cloudwright/platform/fault";
import type { CommonFlags } from "../common-flags.ts";
import { cliFaults } from "../faults.ts";
import type { World } from "../world.ts";
import { createPaint, type Paint } from "./paint.ts";
import { renderTable, type Column } from "./table.ts";

const formats = ["table", "wide", "json", "yaml", "name", "jsonpath"] as const;
type Format = (typeof formats)[number];

/** Where a command's results go, in the form the user asked for. */
export interface Output {
  readonly format: Format;
  /** True when the user named a format, so that even a short confirmation takes that form. */
  readonly isChosen: boolean;
  /** True when only data and errors are wanted. */
  readonly isQuiet: boolean;
  readonly paint: Paint;
  /** A line of data. */
  line(text: string): void;
  /** A line that says what was done; not with --quiet. */
  done(text: string): void;
  /** A line for people that scripts do not want: on standard error, not with --quiet. */
  note(text: string): void;
  table<Row>(columns: readonly Column<Row>[], rows: readonly Row[], options?: { heading?: boolean }): void;
  /** A value in the structured formats: json, yaml or jsonpath. */
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

/** YAML without line folding or anchors, so that a diff of two outputs is a diff of two entities. */
export async function renderYaml(value: unknown): Promise<string> {
  const { stringify } = await import("yaml");
  return stringify(value, { lineWidth: 0, aliasDuplicateObjects: false });
}

/** Whether a format holds the whole value rather than columns of it. */
export function isStructured(format: Format): boolean {
  return format === "json" || format === "yaml" || format === "jsonpath";
}

function parseFormat(text = "table"): { format: Format; template: string } {
  const [name, ...rest] = text.split("=");
  const format = formats.find((known) => known === name);
  const template = rest.join("=");
  if (format === undefined || (format === "jsonpath") !== rest.length > 0 || (format === "jsonpath" && template === "")) {
    throw new Fault(cliFaults.usage, `-o ${text} is not one of table, wide, json, yaml, name, jsonpath=TEMPLATE`);
  }
  return { format, template };
}
