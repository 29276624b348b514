import { Listr, ListrLogger, ProcessOutput, type DefaultRenderer, type ListrTaskWrapper } from "listr2";
import type { Sink } from "../world.ts";
import { waitsForApproval } from "./approvals.ts";
import { isOpen, renderDeed, renderStanding, type Operation, type OperationRef } from "./operation.ts";
import type { Progress } from "./progress.ts";

type Line = ListrTaskWrapper<unknown, typeof DefaultRenderer, typeof DefaultRenderer>;

/** The display state of one operation. */
interface Shown {
  readonly name: string;
  operation?: Operation;
  /** The actions that the user must take before the operation can continue. */
  told: readonly string[];
  /** The line that shows the operation. Undefined until the renderer has started. */
  line?: Line;
  /** Resolving this promise completes the line. Rejecting it marks the line as failed. */
  readonly end: PromiseWithResolvers<void>;
}

/** Shows each operation on a terminal line that is updated in place, with the operation's steps while it runs. */
export function createLiveProgress(sink: Sink, refs: readonly OperationRef[]): Progress {
  const all = refs.map(({ name }): Shown => ({ name, told: [], end: withResolvers() }));
  const run = createList(sink, all).run();
  const find = ({ metadata: { name, uid } }: Operation): Shown | undefined =>
    all.find((entry) => entry.name === name || entry.name === uid);
  return {
    tell: (operation, lines) => {
      const shown = find(operation);
      if (shown === undefined) return;
      shown.told = lines;
      render(shown);
    },
    show: (operation) => {
      const shown = find(operation);
      if (shown === undefined) return;
      shown.operation = operation;
      if (!waitsForApproval(operation)) shown.told = [];
      render(shown);
      if (operation.status?.state === "DONE") shown.end.resolve();
      else if (!isOpen(operation)) shown.end.reject(new Error(renderTitle(shown)));
    },
    lost: ({ message }) => {
      for (const { operation, line } of all) {
        if (line !== undefined && (operation === undefined || isOpen(operation)))
          line.output = `connection lost (${message}); reconnecting`;
      }
    },
    stop: async () => {
      for (const shown of all) {
        if (shown.operation === undefined || isOpen(shown.operation)) shown.line?.skip(`${renderTitle(shown)} (continues)`);
        shown.end.resolve();
      }
      await run;
    },
  };
}

function createList(sink: Sink, all: readonly Shown[]): Listr<unknown, "default", "default"> {
  const tasks = all.map((shown) => ({
    title: shown.name,
    task: async (_context: unknown, line: Line) => {
      shown.line = line;
      render(shown);
      await shown.end.promise;
    },
  }));
  // Progress goes to standard error, so the renderer gets standard error as its output stream.
  const { columns, rows } = { columns: 80, rows: 24, ...sizeOf(process.stderr) };
  const stream = { columns, rows, isTTY: true, write: (text: string) => (sink.write(text), true) };
  const output = stream as unknown as NodeJS.WriteStream;
  const rendererOptions = {
    logger: new ListrLogger({ processOutput: new ProcessOutput(output, output), useIcons: true }),
  };
  return new Listr<unknown, "default", "default">(tasks, {
    concurrent: true,
    exitOnError: false,
    // The command handles Ctrl-C itself, because the operation continues on the server.
    registerSignalListeners: false,
    renderer: "default",
    rendererOptions,
    // The library checks standard output, which may be a pipe even if standard error is a terminal.
    fallbackRenderer: "default",
    fallbackRendererOptions: rendererOptions,
  });
}

/**
 * Returns the terminal size, if known. Contrary to its type, standard error has no size unless it is a terminal. Some terminals report
 * 0.
 */
function sizeOf({ columns, rows }: Partial<NodeJS.WriteStream>): { columns?: number; rows?: number } {
  return columns === undefined || rows === undefined || columns === 0 || rows === 0 ? {} : { columns, rows };
}

function render(shown: Shown): void {
  const { operation, line } = shown;
  if (line === undefined || operation === undefined) return;
  line.title = renderTitle(shown);
  const steps = operation.status?.steps ?? [];
  const lines = [...steps.map(renderStep), ...shown.told];
  if (lines.length > 0 && isOpen(operation)) line.output = lines.join("\n");
}

function renderTitle({ operation, name }: Shown): string {
  return operation === undefined ? name : `${renderDeed(operation)} ${renderStanding(operation)}`;
}

type Step = NonNullable<NonNullable<Operation["status"]>["steps"]>[number];

const marks: Readonly<Record<string, string>> = { DONE: "+", RUNNING: ">", FAILED: "x" };

function renderStep({ name = "", state = "", message = "" }: Step): string {
  return `${marks[state] ?? "-"} ${name}${message === "" || state === "DONE" ? "" : `: ${message}`}`;
}

/** A replacement for `Promise.withResolvers`, which Node 20 lacks. */
function withResolvers(): PromiseWithResolvers<void> {
  const made = {} as { -readonly [Key in keyof PromiseWithResolvers<void>]: PromiseWithResolvers<void>[Key] };
  made.promise = new Promise<void>((resolve, reject) => Object.assign(made, { resolve, reject }));
  // Prevents an unhandled rejection if the operation fails before the renderer has started.
  made.promise.catch(() => undefined);
  return made;
}
