import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { Fault } from "@cloudwright/platform";
import { simulatorFaults } from "../faults.ts";
import { withFileLock } from "./file-lock.ts";
import type { CloudRecord, Inventory } from "./inventory.ts";
import { applyChange, findIn, listIn, type RecordChange, type RecordTable } from "./record-table.ts";
import { replaceFile } from "./replace-file.ts";

/** Creates an inventory that keeps one file per tenant in a directory. Several processes may use it concurrently. */
export function createFileInventory(directory: string): Inventory {
  const tenants = new Map<string, TenantFile>();
  const fileOf = (tenant: string): TenantFile => {
    const file = tenants.get(tenant) ?? openTenantFile(join(directory, nameOf(tenant)));
    tenants.set(tenant, file);
    return file;
  };
  return {
    find: async (tenant, key) => findIn(await fileOf(tenant).read(), key),
    list: async (tenant, type) => listIn(await fileOf(tenant).read(), type),
    create: (tenant, record) => fileOf(tenant).commit({ kind: "create", record }),
    put: async (tenant, record) => void (await fileOf(tenant).commit({ kind: "put", record })),
    delete: (tenant, key) => fileOf(tenant).commit({ kind: "delete", key }),
  };
}

// The hash distinguishes tenants whose names differ only in case or only beyond the length limit. The prefix makes the file name readable.
function nameOf(tenant: string): string {
  const readable = tenant.replaceAll(/[^a-z0-9-]/g, "_").slice(0, 60);
  return `${readable}-${createHash("sha256").update(tenant).digest("hex").slice(0, 32)}.json`;
}

interface TenantFile {
  read(): Promise<RecordTable>;
  commit(change: RecordChange): Promise<boolean>;
}

interface Waiting {
  readonly change: RecordChange;
  resolve(did: boolean): void;
  reject(error: unknown): void;
}

function openTenantFile(path: string): TenantFile {
  let known: { stamp: string; table: RecordTable } | undefined;
  let waiting: Waiting[] = [];
  let isCommitting = false;

  async function read(): Promise<RecordTable> {
    const stamp = await stampOf(path);
    if (known?.stamp !== stamp) known = { stamp, table: await load(path) };
    return known.table;
  }

  // Terraform makes up to ten changes at a time, so changes that arrive during a rewrite are batched into the next one.
  async function commitAll(): Promise<void> {
    isCommitting = true;
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        const results = await withFileLock(`${path}.lock`, (stillHeld) => rewrite(batch, stillHeld));
        batch.forEach(({ resolve }, index) => resolve(results[index] === true));
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    isCommitting = false;
  }

  async function rewrite(batch: readonly Waiting[], stillHeld: () => Promise<boolean>): Promise<boolean[]> {
    const table: RecordTable = new Map(await read());
    const results = batch.map(({ change }) => applyChange(table, change));
    if (!results.includes(true)) return results;
    if (!(await replaceFile(path, print(table), stillHeld))) {
      throw new Fault(simulatorFaults.inventory_busy, `the lock on ${path} was lost during a change`);
    }
    known = { stamp: await stampOf(path), table };
    return results;
  }

  return {
    read,
    commit: (change) =>
      new Promise((resolve, reject) => {
        waiting.push({ change, resolve, reject });
        if (!isCommitting) {
          isCommitting = true;
          setImmediate(() => void commitAll());
        }
      }),
  };
}

async function stampOf(path: string): Promise<string> {
  try {
    const { mtimeNs, size, ino } = await stat(path, { bigint: true });
    return `${mtimeNs} ${size} ${ino}`;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "none";
    throw error;
  }
}

async function load(path: string): Promise<RecordTable> {
  const content = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "[]";
    throw error;
  });
  try {
    const table: RecordTable = new Map();
    for (const record of JSON.parse(content) as CloudRecord[]) applyChange(table, { kind: "put", record });
    return table;
  } catch (error) {
    throw new Fault(simulatorFaults.inventory_unreadable, `${path} does not contain a list of records`, { cause: error });
  }
}

function print(table: RecordTable): string {
  return `[\n${listIn(table)
    .map((record) => JSON.stringify(record))
    .join(",\n")}\n]\n`;
}
