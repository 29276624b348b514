import { create, fromJson, toJson, type JsonObject, type JsonValue } from "@bufbuild/protobuf";
import {
  FinishTaskRequestSchema,
  LeasedTaskSchema,
  type FinishTaskRequest,
  type LeasedTask,
} from "@cloudwright/contract/gen/cloudwright/v1/task_pb.ts";
import { describeError, Fault, isUid } from "@cloudwright/platform";
import {
  closeSync,
  fdatasync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { open as openFile, rm, rmdir, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { taskClientFaults } from "./faults.ts";
import type { ProcessMark } from "./process-table.ts";
import type { SpareDirectories } from "./spare-directories.ts";

/** A task's record on disk. A restarted agent needs it to resume the task or deliver its outcome. */
export interface Journal {
  readonly directory: string;
  childStarted(mark: ProcessMark): void;
  childEnded(pid: number): void;
  /** Records that a restarted agent resumed the work. */
  resumed(): void;
  /** Records the outcome. The record is kept until the server has confirmed the outcome, and survives the end of the process. */
  finished(request: FinishTaskRequest): void;
  /** Flushes the outcome of a long task to disk, so that it survives a crash of the machine. */
  sync(): Promise<void>;
  /** Closes the journal and deletes the task's directory. */
  remove(): Promise<void>;
  /** Closes the journal and keeps the task's directory. */
  close(): void;
}

/** The contents of a journal. */
export interface JournalStory {
  readonly leased: LeasedTask;
  /** Child processes without a recorded exit. */
  readonly children: readonly ProcessMark[];
  readonly resumes: number;
  readonly finished: FinishTaskRequest | undefined;
}

type JournalRecord =
  | { leased: JsonValue }
  | { childStarted: ProcessMark }
  | { childEnded: number }
  | { resumed: true }
  | { finished: JsonValue };

const fileName = "journal.jsonl";

/** Creates a private directory for the task, or reuses a spare directory, and records the lease. Deletes files of an earlier lease. */
export function createJournal(root: string, leased: LeasedTask, spares?: SpareDirectories): Journal {
  return writeOrFault(root, () => {
    const directory = taskDirectory(root, leased.uid);
    if (spares?.take(directory) !== true) makeDirectory(directory);
    const journal = openJournal(root, leased, spares);
    journal.append({ leased: toJson(LeasedTaskSchema, leased) });
    return journal;
  });
}

/** Opens the existing journal of an unfinished task. */
export function reopenJournal(root: string, leased: LeasedTask): Journal {
  return openJournal(root, leased);
}

/** Returns the uids of all tasks that have a directory. */
export function listJournals(root: string): string[] {
  try {
    return readdirSync(join(root, "tasks")).filter(isUid);
  } catch {
    return [];
  }
}

/** Reads a task's journal. Returns undefined if it contains no lease. */
export function readJournal(root: string, uid: string): JournalStory | undefined {
  const children = new Map<number, ProcessMark>();
  let leased: LeasedTask | undefined;
  let finished: FinishTaskRequest | undefined;
  let resumes = 0;
  for (const record of readRecords(join(taskDirectory(root, uid), fileName))) {
    if ("leased" in record) leased = fromJson(LeasedTaskSchema, record.leased, { ignoreUnknownFields: true });
    else if ("childStarted" in record) children.set(record.childStarted.pid, record.childStarted);
    else if ("childEnded" in record) children.delete(record.childEnded);
    else if ("finished" in record) finished = fromJson(FinishTaskRequestSchema, record.finished, { ignoreUnknownFields: true });
    else resumes += 1;
  }
  return leased === undefined || leased.uid !== uid ? undefined : { leased, children: [...children.values()], resumes, finished };
}

export function removeTaskDirectory(root: string, uid: string): void {
  rmSync(taskDirectory(root, uid), { recursive: true, force: true });
}

function taskDirectory(root: string, uid: string): string {
  // The uid comes from the network and becomes part of a path.
  if (!isUid(uid)) throw new Fault(taskClientFaults.bad_payload, "the task's uid is malformed");
  return join(root, "tasks", uid);
}

function makeDirectory(directory: string): void {
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch {
    rmSync(directory, { recursive: true, force: true });
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  }
}

function openJournal(
  root: string,
  { uid, lane }: LeasedTask,
  spares?: SpareDirectories,
): Journal & { append(record: JournalRecord): void } {
  const directory = taskDirectory(root, uid);
  const file = openSync(join(directory, fileName), "a", 0o600);
  let open = true;
  let torn = true;
  let hadChildren = false;
  const append = (record: JournalRecord): void =>
    writeOrFault(root, () => {
      if (!open) return;
      // After a failed write, the next record starts on a new line.
      const lead = torn ? "\n" : "";
      torn = true;
      writeFileSync(file, `${lead}${JSON.stringify(record)}\n`);
      torn = false;
    });
  const close = (): void => {
    if (open) closeSync(file);
    open = false;
  };
  return {
    directory,
    append,
    childStarted(mark) {
      hadChildren = true;
      append({ childStarted: mark });
    },
    childEnded: (pid) => append({ childEnded: pid }),
    resumed: () => append({ resumed: true }),
    finished(request) {
      append({ finished: toJson(FinishTaskRequestSchema, create(FinishTaskRequestSchema, { ...request, lines: [] })) });
    },
    async sync() {
      // Leases and child processes do not survive a reboot, so only the outcome of a long task is worth flushing. Such an outcome can be
      // delivered after the reboot.
      if (!open || lane !== "long") return;
      await promisify(fdatasync)(file);
      // A reused directory was renamed, and the rename must survive a crash too.
      await using tasks = await openFile(dirname(directory));
      await tasks.sync();
    },
    close,
    async remove() {
      // A child process that escaped its process group could still use its directory. Therefore, a directory is reused only if its task had
      // no child processes.
      const isSpare = open && spares !== undefined && !hadChildren && emptyJournal(file, directory);
      close();
      if (isSpare && spares.keep(directory)) return;
      try {
        // Most directories contain only the journal. Deleting it directly takes two system calls instead of seven for a recursive deletion.
        await unlink(join(directory, fileName));
        await rmdir(directory);
      } catch {
        // Asynchronous, because a large directory must not delay heartbeats.
        await rm(directory, { recursive: true, force: true, maxRetries: 3 });
      }
    },
  };
}

// Empties the journal if the directory contains nothing else.
function emptyJournal(journal: number, directory: string): boolean {
  try {
    if (readdirSync(directory).join("/") !== fileName) return false;
    ftruncateSync(journal);
    return true;
  } catch {
    return false;
  }
}

function readRecords(path: string): JournalRecord[] {
  try {
    // Only the last line can be incomplete after a crash. It is ignored, because the event that it records had not happened yet.
    return readFileSync(path, "utf8").split("\n").flatMap(parseRecord);
  } catch {
    return [];
  }
}

function parseRecord(line: string): JournalRecord[] {
  try {
    return line === "" ? [] : [JSON.parse(line) as JournalRecord & JsonObject];
  } catch {
    return [];
  }
}

function writeOrFault<Value>(root: string, write: () => Value): Value {
  try {
    return write();
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw new Fault(taskClientFaults.disk_full, `cannot write in ${root}: ${describeError(error)}`, { cause: error });
  }
}
