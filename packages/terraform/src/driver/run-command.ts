import { createUid, describeError, Fault } from "@cloudwright/platform";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import { describeEvent } from "../events/describe-event.ts";
import { parseEvent } from "../events/parse-event.ts";
import { readTextDiagnostics } from "../events/text-diagnostics.ts";
import { terraformFaults } from "../faults.ts";
import { createReportCollector, type ReportCollector } from "./collect-report.ts";
import type { CommandReport } from "./command-report.ts";
import { explainFailure } from "./explain-failure.ts";
import { goFatalCode, limitMemory } from "./limit-memory.ts";
import { createLineSplitter } from "./line-splitter.ts";
import { openRunLog, type RunLog } from "./run-log.ts";
import type { Session } from "./session.ts";
import { signalGroup } from "./signal-group.ts";
import type { ChildEnd, RunningChild } from "./spawn.ts";
import { stopOnAbort } from "./stop-child.ts";

export interface Command {
  /** Name of the command in its report. */
  readonly name: string;
  readonly args: readonly string[];
  /** Format of the standard output: an event stream, plain text, or a single document that is returned and never logged. */
  readonly output: "events" | "text" | "answer";
  /** Exit codes that mean success. Default: 0. */
  readonly goodCodes?: readonly number[];
}

/** A finished command, with a `fault` if it failed. `answer` is not redacted, so callers must mask it. */
export interface CommandRun {
  readonly report: CommandReport;
  readonly answer: Buffer;
  readonly fault?: Fault;
  readonly cancelled: boolean;
}

const longestLineBytes = 8 * 1024 * 1024;

/** Runs one command until it exits. Sends its redacted output to the log, to `onLine` and to `onEvent`. */
export async function runCommand(session: Session, command: Command): Promise<CommandRun> {
  const { stopping, clock } = session;
  const collector = createReportCollector();
  const startedMs = clock.now();
  const log = command.output === "answer" || session.logDirectory === undefined ? undefined : openLog(session, command);
  const finish = async (end: ChildEnd, answer: Buffer, failed?: Fault): Promise<CommandRun> => {
    const report: CommandReport = {
      command: command.name,
      exitCode: end.code,
      signal: end.signal,
      seconds: (clock.now() - startedMs) / 1000,
      ...collector.collect(),
      ...(log === undefined ? {} : { log: { path: log.path, complete: await log.close() } }),
    };
    const fault = failed ?? judge(session, command, end, collector);
    const cancelled = fault !== undefined && stopping.signal?.aborted === true;
    return { report, answer, cancelled, ...(fault === undefined ? {} : { fault }) };
  };

  if (stopping.signal?.aborted === true) {
    return finish({ code: null, signal: null }, Buffer.alloc(0), cancelledFault(command, "before it started"));
  }
  let child: RunningChild;
  try {
    const [program, args] = limitMemory(session.binary, command.args, session.memoryBytes);
    child = await session.spawn(program, args, { cwd: session.directory, env: session.environment });
  } catch (error) {
    const why = error instanceof Fault ? error : new Fault(terraformFaults.start_failed, describeError(error), { cause: error });
    return finish({ code: null, signal: null }, Buffer.alloc(0), why);
  }
  const release = stopOnAbort({ clock }, child, stopping);
  try {
    child.stdin.end();
    const answer = createAnswer(session.longestAnswerBytes, () => signalGroup(child.pid, "SIGKILL"));
    const hears: Hearing = { session, collector, log, broken: undefined };
    await Promise.all([
      command.output === "answer" ? answer.read(child.stdout) : follow(hears, child.stdout, command.output === "events"),
      follow(hears, child.stderr, false),
    ]);
    const end = await child.ended;
    if (hears.broken !== undefined) {
      await log?.close();
      throw hears.broken;
    }
    if (answer.isTooLong()) {
      return await finish(
        end,
        Buffer.alloc(0),
        new Fault(terraformFaults.too_much_output, `${command.name} printed too much output`),
      );
    }
    return await finish(end, answer.whole());
  } finally {
    release();
  }
}

function openLog(session: Session, command: Command): RunLog {
  const name = `${createUid(session.clock.now())}-${command.name.replaceAll(" ", "-")}.log.gz`;
  return openRunLog(join(session.logDirectory as string, name));
}

interface Hearing {
  readonly session: Session;
  readonly collector: ReportCollector;
  readonly log: RunLog | undefined;
  /** The first error that a listener threw. It is rethrown at the end, because a program whose output is not read never exits. */
  broken: Error | undefined;
}

// Reads one output stream. Waits until the log has accepted each chunk.
async function follow(hears: Hearing, stream: Readable, isEvents: boolean): Promise<void> {
  const { session, collector, log } = hears;
  const tell = (call: () => void): void => {
    try {
      call();
    } catch (error) {
      hears.broken ??= error instanceof Error ? error : new Error(describeError(error));
    }
  };
  const redacting = session.redactor.createStream();
  const lines = createLineSplitter(longestLineBytes);
  const hear = (line: string): void => {
    const event = isEvents ? parseEvent(line, session.redactor.redactJson) : undefined;
    if (event !== undefined) {
      collector.hear(event);
      tell(() => session.onEvent(event));
      tell(() => session.onLine(describeEvent(event)));
      return;
    }
    const clean = session.redactor.redactText(stripVTControlCharacters(line));
    collector.hearStray(clean);
    tell(() => session.onLine(clean));
  };
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      await log?.write(redacting.push(chunk));
      for (const line of lines.push(chunk)) hear(line);
    }
  } catch {
    // The pipe broke. The program's exit status explains why.
  }
  await log?.write(redacting.end());
  for (const line of lines.end()) hear(line);
}

function createAnswer(longest: number, giveUp: () => void) {
  const chunks: Buffer[] = [];
  let size = 0;
  return {
    async read(stream: Readable): Promise<void> {
      try {
        for await (const chunk of stream as AsyncIterable<Buffer>) {
          size += chunk.length;
          if (size <= longest) chunks.push(chunk);
          else giveUp();
        }
      } catch {
        // The pipe broke. The program's exit status explains why.
      }
    },
    isTooLong: () => size > longest,
    whole: () => Buffer.concat(chunks),
  };
}

function judge(session: Session, command: Command, end: ChildEnd, collector: ReportCollector): Fault | undefined {
  if (session.memoryBytes !== undefined && end.code === goFatalCode && collector.ranOutOfMemory()) {
    const mebibytes = Math.floor(session.memoryBytes / 1024 ** 2);
    return new Fault(
      terraformFaults.out_of_memory,
      `${command.name} needs more than ${mebibytes} MiB of memory, which is the agent's limit`,
    );
  }
  const isGood = end.code !== null && (command.goodCodes ?? [0]).includes(end.code);
  // Plain text can explain a failure but does not prove one, because any program may print "Error: ".
  if (!isGood) collector.addDiagnostics(readTextDiagnostics(collector.strayText()));
  const { diagnostics, strayLines } = collector.collect();
  // An error diagnostic is a failure even if the exit code is 0.
  if (isGood && !diagnostics.some(({ severity }) => severity === "error")) {
    const ui = collector.unknownUi();
    if (ui === undefined) return undefined;
    return new Fault(terraformFaults.unexpected_output, `${command.name} uses the unsupported version ${ui} of the event format`);
  }
  if (session.stopping.signal?.aborted === true) {
    return cancelledFault(command, end.signal === null ? "and exited" : `and killed by ${end.signal}`);
  }
  if (end.signal !== null) return new Fault(terraformFaults.killed, `${command.name} was killed by ${end.signal}`);
  return explainFailure(command.name, diagnostics, strayLines.last);
}

function cancelledFault(command: Command, how: string): Fault {
  return new Fault(terraformFaults.cancelled, `${command.name} was cancelled ${how}`);
}
