import type { CloudLibrary } from "@cloudwright/clouds";
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Key of the tag on everything that a run creates. The tag's value is the name of the run. */
export const tagKey = "cloudwright-test";

export interface Tagged {
  readonly kind: "cluster" | "instance";
  readonly id: string;
  readonly name: string;
}

/** Lists clusters and machines whose tag has a matching value. */
export async function listTagged(library: CloudLibrary, matches: (run: string) => boolean): Promise<readonly Tagged[]> {
  const isOurs = ({ tags }: { readonly tags: Readonly<Record<string, string>> }): boolean => {
    const run = tags[tagKey];
    return run !== undefined && matches(run);
  };
  const clusters = (await library.clusters.list()).filter(isOurs);
  const instances = (await library.instances.list()).filter(isOurs);
  return [
    ...clusters.map(({ id, name }) => ({ kind: "cluster" as const, id, name })),
    ...instances.map(({ id, name }) => ({ kind: "instance" as const, id, name })),
  ];
}

/** Records the names of runs in files, so that a later clean-up can also find the roles of a cluster that was never created. */
export class RunRecords {
  readonly #folder: string;
  constructor(folder: string) {
    this.#folder = folder;
  }
  async add(run: string): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    await writeFile(join(this.#folder, run), "");
  }
  async list(): Promise<readonly string[]> {
    return readdir(this.#folder).catch(() => []);
  }
  async remove(run: string): Promise<void> {
    await rm(join(this.#folder, run), { force: true });
  }
}

/**
 * Deletes resources that runs left behind: everything with a matching tag, and resources that belong to the clusters of recorded runs, such
 * as roles. Continues after a failure and throws all failures at the end.
 */
export async function cleanUp(
  library: CloudLibrary,
  records: RunRecords,
  { run, note }: { readonly run?: string; readonly note: (line: string) => void },
): Promise<void> {
  const matches = (candidate: string): boolean => run === undefined || candidate === run;
  const failures: unknown[] = [];
  const attempt = async (title: string, work: () => Promise<void>): Promise<boolean> => {
    note(title);
    try {
      await work();
      return true;
    } catch (error) {
      note(`  failed: ${error instanceof Error ? error.message : String(error)}`);
      failures.push(error);
      return false;
    }
  };
  for (const { kind, id, name } of await listTagged(library, matches)) {
    await attempt(`delete the ${kind} ${name} (${id})`, () =>
      kind === "cluster" ? library.clusters.delete(id) : library.instances.terminate(id),
    );
  }
  for (const recorded of (await records.list()).filter(matches)) {
    if (await attempt(`delete what belongs to ${recorded}`, () => library.clusters.delete(recorded)))
      await records.remove(recorded);
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} resources could not be deleted`);
}
