import { createKillRunner } from "./run-kill-case.ts";
import { openBoundaryPlatform } from "./boundary-platform.ts";
import { describeCase, listCases, sampleCases, type KillCase, type Victim } from "./kill-cases.ts";
import { targets } from "./targets.ts";

export interface KillsOptions {
  readonly seed: number;
  /** Number of random cells, or `all` for every cell of the matrix. */
  readonly cells: number | "all";
  readonly victims?: readonly Victim[];
  readonly note: (line: string) => void;
}

/** Counts for one run of the kill matrix. `broken` describes every cell that did not converge. */
export interface KillsReport {
  readonly held: number;
  readonly broken: readonly string[];
}

/** Runs cells of the kill matrix. If a cell fails, the remaining cells run on a new platform. */
export async function runKills({ seed, cells, victims, note }: KillsOptions): Promise<KillsReport> {
  const broken: string[] = [];
  let held = 0;
  let platform = await openBoundaryPlatform();
  let runner = createKillRunner(platform);
  const run = async (cell: KillCase): Promise<void> => {
    try {
      await runner.run(cell);
      held += 1;
      note(`held: ${describeCase(cell)}`);
    } catch (error) {
      broken.push(`${describeCase(cell)}: ${String(error)}`);
      note(`BROKEN: ${broken.at(-1)}`);
      await platform.stop();
      platform = await openBoundaryPlatform();
      runner = createKillRunner(platform);
    }
  };
  try {
    if (cells === "all") {
      for (const target of targets) {
        for (const cell of listCases(seed, target, await runner.countResources(target), victims)) await run(cell);
      }
    } else {
      for (const cell of sampleCases(seed, cells, victims)) await run(cell);
    }
    await runner.close().catch((error: unknown) => void broken.push(String(error)));
  } finally {
    await platform.stop();
  }
  return { held, broken };
}
