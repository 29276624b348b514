import { appendFile, mkdir, readdir, readFile, rm, truncate } from "node:fs/promises";
import { join } from "node:path";
import { Fault } from "@cloudwright/platform";
import { simulatorFaults } from "../../faults.ts";
import { replaceFile } from "../../inventory/replace-file.ts";
import type { KubeObject } from "../cluster/kube-object.ts";
import {
  deletionMark,
  type ClusterRecord,
  type KubernetesObjects,
  type ObjectChange,
  type ObjectKey,
} from "./kubernetes-objects.ts";
import { keyText, noSuchCluster, staleObjects } from "./memory-objects.ts";

interface Line {
  readonly v: number;
  readonly k: readonly [resource: string, namespace: string, name: string];
  readonly o?: KubeObject;
}

interface Log {
  version: number;
  /** The number of lines in the log file. */
  lines: number;
  live: Set<string>;
}

/**
 * Creates a cluster store in a directory. `<id>.json` describes a cluster, and `<id>.log` has one line per change. The log is compacted
 * when most of its lines are obsolete. Only one process may use the directory at a time.
 */
export function createFileObjects(directory: string): KubernetesObjects {
  const logs = new Map<string, Log>();
  const recordPath = (id: string): string => join(directory, `${checkId(id)}.json`);
  const logPath = (id: string): string => join(directory, `${checkId(id)}.log`);

  async function findRecord(id: string): Promise<ClusterRecord | undefined> {
    const text = await readIfThere(recordPath(id));
    return text === undefined ? undefined : (JSON.parse(text) as ClusterRecord);
  }

  async function writeRecord(record: ClusterRecord): Promise<void> {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await replaceFile(recordPath(record.id), `${JSON.stringify(record)}\n`, async () => true);
  }

  async function readLog(id: string): Promise<{ version: number; objects: Map<string, { key: ObjectKey; object: KubeObject }> }> {
    if ((await findRecord(id)) === undefined) throw noSuchCluster(id);
    const text = (await readIfThere(logPath(id))) ?? "";
    const whole = text.lastIndexOf("\n") + 1;
    // A process killed during a write leaves a partial line. Its change was never acknowledged, so the line is removed.
    if (whole < text.length) await truncate(logPath(id), Buffer.byteLength(text.slice(0, whole)));
    const objects = new Map<string, { key: ObjectKey; object: KubeObject }>();
    let version = 0;
    const lines = text.slice(0, whole).split("\n").slice(0, -1);
    for (const line of lines) {
      const { v, k, o } = parseLine(line, logPath(id));
      const key = { resource: k[0], namespace: k[1], name: k[2] };
      if (o === undefined) objects.delete(keyText(key));
      else objects.set(keyText(key), { key, object: o });
      version = v;
    }
    logs.set(id, { version, lines: lines.length, live: new Set(objects.keys()) });
    return { version, objects };
  }

  async function listIds(): Promise<string[]> {
    const files = await readdir(directory).catch(() => [] as string[]);
    const records = files.filter((file) => file.endsWith(".json"));
    return records.map((file) => file.slice(0, -".json".length)).toSorted();
  }

  async function compact(id: string, log: Log): Promise<void> {
    if (log.lines < 500 || log.lines < log.live.size * 3) return;
    const { version, objects } = await readLog(id);
    const lines = [...objects.values()].map(({ key, object }) => printLine({ version, key, object }));
    // Preserves the latest version number, even if the latest change was a deletion.
    lines.push(printLine({ version, key: { resource: "", namespace: "", name: "" }, object: undefined }));
    await replaceFile(logPath(id), lines.join(""), async () => true);
    logs.set(id, { version, lines: lines.length, live: new Set(objects.keys()) });
  }

  return {
    async listClusters() {
      const records = await Promise.all((await listIds()).map(findRecord));
      return records.filter((record) => record !== undefined);
    },
    async createCluster(record) {
      if ((await findRecord(record.id)) !== undefined) return false;
      await rm(logPath(record.id), { force: true });
      logs.delete(record.id);
      await writeRecord(record);
      return true;
    },
    async updateCluster(record) {
      if ((await findRecord(record.id)) === undefined) return false;
      await writeRecord(record);
      return true;
    },
    async deleteCluster(id) {
      const existed = (await findRecord(id)) !== undefined;
      await rm(recordPath(id), { force: true });
      await rm(logPath(id), { force: true });
      logs.delete(id);
      return existed;
    },
    async load(id) {
      const { version, objects } = await readLog(id);
      return { version, objects: [...objects.values()] };
    },
    async listUnfinished() {
      const ids = await listIds();
      const texts = await Promise.all(ids.map(async (id) => (await readIfThere(logPath(id))) ?? ""));
      return ids.filter((_, index) => texts[index]?.includes(deletionMark));
    },
    async commit(id, after, changes) {
      if (!logs.has(id)) await readLog(id);
      const log = logs.get(id) as Log;
      if (log.version !== after) throw staleObjects(id, after, log.version);
      await appendFile(logPath(id), changes.map(printLine).join(""), { mode: 0o600 });
      for (const { key, object, version } of changes) {
        log.version = version;
        log.lines++;
        if (object === undefined) log.live.delete(keyText(key));
        else log.live.add(keyText(key));
      }
      await compact(id, log);
    },
  };
}

function printLine({ version, key, object }: ObjectChange): string {
  const line: Line = { v: version, k: [key.resource, key.namespace, key.name], ...(object !== undefined && { o: object }) };
  return `${JSON.stringify(line)}\n`;
}

function parseLine(line: string, path: string): Line {
  try {
    return JSON.parse(line) as Line;
  } catch (error) {
    throw new Fault(simulatorFaults.inventory_unreadable, `${path} contains a malformed line`, { cause: error });
  }
}

// Validates the id, because it becomes part of a path.
function checkId(id: string): string {
  if (!/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(id))
    throw new Fault(simulatorFaults.bad_cluster_id, `"${id}" is not a valid cluster id`);
  return id;
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
