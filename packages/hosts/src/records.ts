import { Fault, parseJson } from "@cloudwright/platform";
import { mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { hostsFaults } from "./faults.ts";
import { reportFullDisk } from "./report-full-disk.ts";

/** Durable records of one kind of resource, one file per id. A record survives a power cut once it is written. */
export interface Records<T> {
  put(id: string, record: T): Promise<void>;
  find(id: string): Promise<T | undefined>;
  list(): Promise<T[]>;
  delete(id: string): Promise<void>;
}

const suffix = ".json";

/** Opens the records in a folder, and creates the folder if it is missing. Only one process may write to the folder. */
export async function openRecords<T>(directory: string): Promise<Records<T>> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const fileOf = (id: string): string => join(directory, `${requireId(id)}${suffix}`);

  async function find(id: string): Promise<T | undefined> {
    const file = fileOf(id);
    const content = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return undefined;
      throw error;
    });
    if (content === undefined) return undefined;
    const record = parseJson(content);
    if (record === undefined) throw new Fault(hostsFaults.bad_record, `${file} is not valid JSON`);
    return record as T;
  }

  return {
    find,
    async put(id, record) {
      const file = fileOf(id);
      const next = `${file}.next`;
      try {
        await writeSynced(next, JSON.stringify(record));
        await rename(next, file);
        await syncFolder(directory);
      } catch (error) {
        await rm(next, { force: true });
        throw reportFullDisk(error, directory);
      }
    },
    async list() {
      const names = (await readdir(directory)).filter((name) => name.endsWith(suffix)).toSorted();
      const found = await Promise.all(names.map((name) => find(name.slice(0, -suffix.length))));
      return found.filter((record) => record !== undefined);
    },
    async delete(id) {
      await rm(fileOf(id), { force: true });
      await syncFolder(directory);
    },
  };
}

async function writeSynced(file: string, content: string): Promise<void> {
  const handle = await open(file, "w", 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function syncFolder(directory: string): Promise<void> {
  const handle = await open(directory, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Ids become file names, so they must not contain path separators. */
function requireId(id: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(id)) return id;
  throw new Fault(
    hostsFaults.bad_record,
    `"${id}" is not a valid record id; use letters, digits, dots, dashes and underscores, at most 128 characters, and start with a letter or digit`,
  );
}
