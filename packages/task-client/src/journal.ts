import { create, fromJson, toJson, type JsonObject, type JsonValue } from "@bufbuild/protobuf";
import {
  FinishTaskRequestSchema,
  LeasedTaskSchema,
  type FinishTaskRequest,
  type LeasedTask,
} from "@cloudwright/contract/gen/cloudwright/v1/task_pb.ts";
import { describeError, Fault, isUid } from "@cloudwright/platform";
import { closeSync, fdatasync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { rm, rmdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { taskClientFaults } from "./faults.ts";
import type { ProcessMark } from "./process-table.ts";

/** The memory of one task on disk: what an agent that starts again must know of it. */
export interface Journal {
  readonly directory: string;
  childStarted(mark: ProcessMark): void;
  childEnded(pid: number): void;
  /** The work was taken up again after the agent had ended. */
  resumed(): void;
  /** Writes the outcome, which is kept until the server has answered. It survives the agent's end. */
  finished(request: FinishTaskRequest): void;
  /** Makes the outcome of long work survive the machine's end as well. */
  sync(): Promise<void>;
  /** Closes and removes the directory with everything in it. */
  remove(): Promise<void>;
  /** Closes and leaves everything as it is. */
  close(): void;
}

/** What a journal tells. */
export interface JournalStory {
  readonly leased: LeasedTask;
  /** Children that were started and not seen to end. */
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

/** Opens a task's directory, readable by its owner only, and writes down the lease. What an earlier lease of it left is removed. */
export function createJournal(root: string, leased: LeasedTask): Journal {
  return writeOrFault(root, () => {
    makeDirectory(taskDirectory(root, leased.uid));
    const journal = openJournal(root, leased);
    journal.append({ leased: toJson(LeasedTaskSchema, leased) });
    return journal;
  });
}

/** Opens the journal of a task that was left half done. */
export function reopenJournal(root: string, leased: LeasedTask): Journal {
  return openJournal(root, leased);
}

/** The uids of the tasks that have a directory. */
export function listJournals(root: string): string[] {
  try {
    return readdirSync(join(root, "tasks")).filter(isUid);
  } catch {
    return [];
  }
}

/** Reads a journal; undefined when it does not even tell of a lease. */
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

/** Removes what is left of a task. */
export function removeTaskDirectory(root: string, uid: string): void {
  rmSync(taskDirectory(root, uid), { recursive: true, force: true });
}

function taskDirectory(root: string, uid: string): string {
  // The uid comes over the wire and becomes a path.
  if (!isUid(uid)) throw new Fault(taskClientFaults.bad_payload, "the task's uid is not one");
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

function openJournal(root: string, { uid, lane }: LeasedTask): Journal & { append(record: JournalRecord): void } {
  const directory = taskDirectory(root, uid);
  const file = openSync(join(directory, fileName), "a", 0o600);
  let open = true;
  let torn = true;
  const append = (record: JournalRecord): void =>
    writeOrFault(root, () => {
      if (!open) return;
      // After a write that failed half way the next record begins on a line of its own.
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
    childStarted: (mark) => append({ childStarted: mark }),
    childEnded: (pid) => append({ childEnded: pid }),
    resumed: () => append({ resumed: true }),
    finished(request) {
      append({ finished: toJson(FinishTaskRequestSchema, create(FinishTaskRequestSchema, { ...request, lines: [] })) });
    },
    async sync() {
      // Programs and leases do not outlive the machine. Only the outcome of long work is worth a disk's time: it can still be delivered
      // after the machine came back.
      if (open && lane === "long") await promisify(fdatasync)(file);
    },
    close,
    async remove() {
      close();
      try {
        // Most directories hold nothing but the journal: two calls, where a recursive removal takes seven.
        await unlink(join(directory, fileName));
        await rmdir(directory);
      } catch {
        // Not synchronously: there may be much in it, and heartbeats must go on.
        await rm(directory, { recursive: true, force: true, maxRetries: 3 });
      }
    },
  };
}

function readRecords(path: string): JournalRecord[] {
  try {
    // A line that was cut off by the end of the agent is the last one; what it would have told had not happened yet.
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
