import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** What became of one test in the last run of its file. */
export interface RecordedTest {
  /** Titles of the suites around it and its own, joined by " > ". */
  readonly title: string;
  readonly state: "passed" | "failed" | "skipped";
  /** Why it was skipped, where the test says so. */
  readonly reason?: string;
}

/** The last run of one test file. */
export interface RecordedFile {
  /** Relative to the root, with forward slashes. */
  readonly file: string;
  /** The file itself could not be loaded, or one of its hooks failed. */
  readonly broken: boolean;
  readonly tests: readonly RecordedTest[];
}

const folder = join(".cache", "features");

/** Replaces what is known about one file. One JSON file each, so that runs of different parts merge by themselves. */
export async function writeRecord(root: string, record: RecordedFile): Promise<void> {
  const path = join(root, folder, `${record.file}.json`);
  await mkdir(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, JSON.stringify(record, null, 1));
  await rename(draft, path);
}

/** What is known about one file. */
export async function findRecord(root: string, file: string): Promise<RecordedFile | undefined> {
  const path = join(root, folder, `${file}.json`);
  return existsSync(path) ? (JSON.parse(await readFile(path, "utf8")) as RecordedFile) : undefined;
}

/** Everything that is known, in order of file names; records of files that are gone are left out. */
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
