import { create } from "@bufbuild/protobuf";
import { FinishTaskRequestSchema, LeasedTaskSchema } from "@cloudwright/contract/gen/cloudwright/v1/task_pb.ts";
import { createUid } from "@cloudwright/platform";
import { appendFileSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createJournal, listJournals, readJournal } from "./journal.ts";
import { createSpareDirectories } from "./spare-directories.ts";
import { createCleanup, createTestDirectory } from "./testing/test-agent.ts";

const cleanup = createCleanup();
let root: string;
const uid = createUid(0);
const leased = create(LeasedTaskSchema, { uid, type: "network.apply", lane: "long", leaseToken: "t", payload: { a: [1, null] } });
const child = (pid: number) => ({ pid, startTicks: "7", boot: "b" });

beforeEach(() => {
  root = createTestDirectory(cleanup);
});
afterEach(() => cleanup.run());

test("M052 a journal records the lease, the running children, and the outcome", async () => {
  const journal = createJournal(root, leased);
  journal.childStarted(child(1));
  journal.childStarted(child(2));
  journal.childEnded(1);
  journal.resumed();
  expect(readJournal(root, uid)).toEqual({ leased, children: [child(2)], resumes: 1, finished: undefined });
  journal.finished(create(FinishTaskRequestSchema, { uid, outcome: "done", outputs: { id: "x" } }));
  expect(readJournal(root, uid)?.finished).toMatchObject({ outcome: "done", outputs: { id: "x" } });
  expect(statSync(journal.directory).mode & 0o777).toBe(0o700);
  expect(listJournals(root)).toEqual([uid]);
  await journal.remove();
  expect(existsSync(journal.directory)).toBe(false);
});

test("M052 a truncated line is ignored, and those before it are read", () => {
  const journal = createJournal(root, leased);
  journal.childStarted(child(1));
  appendFileSync(join(journal.directory, "journal.jsonl"), '{"childEnded":');
  expect(readJournal(root, uid)?.children).toEqual([child(1)]);
  journal.close();
});

test("M052 a directory without a lease yields nothing", () => {
  mkdirSync(join(root, "tasks", uid), { recursive: true });
  expect(readJournal(root, uid)).toBeUndefined();
});

test("M005 a uid that would point outside the agent's directory is rejected", () => {
  const evil = create(LeasedTaskSchema, { uid: "../../evil" });
  expect(() => createJournal(root, evil)).toThrow(expect.objectContaining({ code: "task_client.bad_payload" }));
});

test("X020 a directory that cannot be written to causes its own fault", () => {
  writeFileSync(join(root, "tasks"), "");
  expect(() => createJournal(root, leased)).toThrow(expect.objectContaining({ code: "task_client.disk_full" }));
});

test("M052 a task gets the directory of an ended task, without its records", async () => {
  const spares = createSpareDirectories(root);
  mkdirSync(join(root, "tasks"));
  const first = createJournal(root, leased, spares);
  const { ino } = statSync(first.directory);
  await first.remove();
  expect(existsSync(first.directory)).toBe(false);
  const next = create(LeasedTaskSchema, { ...leased, uid: createUid(1), leaseToken: "next" });
  const second = createJournal(root, next, spares);
  expect(statSync(second.directory)).toMatchObject({ ino });
  expect(statSync(second.directory).mode & 0o777).toBe(0o700);
  expect(readJournal(root, next.uid)).toEqual({ leased: next, children: [], resumes: 0, finished: undefined });
  expect(listJournals(root)).toEqual([next.uid]);
  second.finished(create(FinishTaskRequestSchema, { uid: next.uid, outcome: "done" }));
  await second.sync();
  second.close();
});

test("M052 a directory in which a program ran or a file was created is not given to another task", async () => {
  const spares = createSpareDirectories(root);
  const withProgram = createJournal(root, leased, spares);
  withProgram.childStarted(child(1));
  withProgram.childEnded(1);
  await withProgram.remove();
  const withFile = createJournal(root, leased, spares);
  writeFileSync(join(withFile.directory, "plan"), "");
  await withFile.remove();
  expect([...listJournals(root), ...readdirSync(join(root, "spare"))]).toEqual([]);
});

test("M052 a spare directory does not replace the files of an earlier lease", async () => {
  const spares = createSpareDirectories(root);
  await createJournal(root, leased, spares).remove();
  const next = create(LeasedTaskSchema, { ...leased, uid: createUid(1) });
  mkdirSync(join(root, "tasks", next.uid));
  writeFileSync(join(root, "tasks", next.uid, "left"), "");
  const journal = createJournal(root, next, spares);
  expect(readdirSync(journal.directory)).toEqual(["journal.jsonl"]);
  journal.close();
  spares.close();
  expect(existsSync(join(root, "spare"))).toBe(false);
});
