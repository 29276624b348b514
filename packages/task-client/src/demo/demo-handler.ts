import { taskClientFaults } from "../faults.ts";
import type { Handler, HandlerContext, HandlerOutcome } from "../handler.ts";
import type { HandlerRegistry } from "../registry.ts";
import { readLines } from "../read-lines.ts";
import { findDirectives, type DemoDirectives } from "./directives.ts";
import { renderOutputs } from "./plausible-outputs.ts";
import { fileURLToPath } from "node:url";

export interface DemoOptions {
  /** A file in which the demo programs record when they start and end. */
  readonly journal?: string | undefined;
}

const program = fileURLToPath(new URL("./child.sh", import.meta.url));
const beatMs = 200;

/** Registers a demo handler for all task types without a handler. For tests and demos only. */
export function registerDemoHandlers(registry: HandlerRegistry, options: DemoOptions = {}): void {
  registry.register({ types: ["*"] }, createDemoHandler(options));
}

/**
 * Creates a handler that sleeps, fails or crashes as the entity's annotations specify. Without annotations or a journal, the handler
 * succeeds immediately without starting a program.
 */
function createDemoHandler(options: DemoOptions): Handler {
  return async (context) => {
    const directives = findDirectives(context.task, context.payload);
    if (directives === undefined && options.journal === undefined) return succeed(context, undefined);
    return runProgram(context, options, directives);
  };
}

async function runProgram(
  context: HandlerContext,
  options: DemoOptions,
  directives: DemoDirectives | undefined,
): Promise<HandlerOutcome> {
  const { task } = context;
  const beats = Math.ceil((directives?.sleepMs ?? 0) / beatMs);
  const end = chooseEnd(task.attempt, directives);
  const manners = directives?.ignoreCancel === true ? "ignore" : "";
  const args = [options.journal ?? "", task.uid, task.entityUid, task.attempt, beats, end, manners].map(String);
  const child = await context.spawn("/bin/sh", [program, ...args]);
  context.log(`${task.type} of ${task.entityKind} ${task.entityName}: started process ${child.pid} for attempt ${task.attempt}`);
  readLines(child.stderr, (line) => context.log(line));
  readLines(child.stdout, (line) => {
    context.log(line);
    const beat = Number(/^beat (\d+) /.exec(line)?.[1] ?? 0);
    if (beat > 0) context.progress((beat / beats) * 100, line);
  });
  const { code, signal } = await child.ended;
  if (code === 0) return succeed(context, directives);
  const how = signal === null ? `with code ${code}` : `after ${signal}`;
  const { code: name, help } = end === "fail" ? taskClientFaults.demo_failure : taskClientFaults.child_failed;
  const fault = {
    code: name,
    help,
    message: `the program for ${task.type} exited ${how}`,
    permanent: directives?.failPermanently ?? false,
  };
  return { outcome: "failed", fault };
}

function chooseEnd(attempt: number, directives: DemoDirectives | undefined): "done" | "fail" | "crash" {
  if (directives === undefined) return "done";
  if (attempt <= directives.crashUntil) return "crash";
  return directives.failPermanently || attempt <= directives.failUntil ? "fail" : "done";
}

function succeed(context: HandlerContext, directives: DemoDirectives | undefined): HandlerOutcome {
  return { outcome: "done", outputs: directives?.outputs ?? renderOutputs(context.task, context.payload) };
}
