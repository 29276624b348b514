import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** Result of one test in the last run of its file. */
export interface RecordedTest {
  /** Titles of the enclosing suites and of the test itself, joined by " > ". */
  readonly title: string;
  readonly state: "passed" | "failed" | "skipped";
  /** The reason given by a skipped test, if any. */
  readonly reason?: string;
}

/** Results of the last run of one test file. */
export interface RecordedFile {
  /** Path relative to the root, with forward slashes. */
  readonly file: string;
  /** True if the file could not be loaded or one of its hooks failed. */
  readonly broken: boolean;
  readonly tests: readonly RecordedTest[];
}

const folder = join(".cache", "features");

/** Replaces the record of a test file. Each test file has its own JSON file, so that the results of partial runs accumulate. */
export async function writeRecord(root: string, record: RecordedFile): Promise<void> {
  const path = join(root, folder, `${record.file}.json`);
  await mkdir(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, JSON.stringify(record, null, 1));
  await rename(draft, path);
}

export async function findRecord(root: string, file: string): Promise<RecordedFile | undefined> {
  const path = join(root, folder, `${file}.json`);
  return existsSync(path) ? (JSON.parse(await readFile(path, "utf8")) as RecordedFile) : undefined;
}

/** Lists the records of all existing test files, sorted by file name. */
export async function listRecords(root: string): Promise<RecordedFile[]> {
  const base = join(root, folder);
  if (!existsSync(base)) return [];
  const entries = await readdir(base, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile() && entry.name.endsWith(".json"))
    .map((entry) => join(entry.parentPath, entry.name));
  const records = await Promise.all(paths.map(async (path) => JSON.parse(await readFile(path, "utf8")) as RecordedFile));
  return records.filter((record) => existsSync(join(root, record.file))).toSorted((a, b) => (a.file < b.file ? -1 : 1));
}
