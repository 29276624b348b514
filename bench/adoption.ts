import { requireTool } from "@cloudwright/platform";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Benchmark } from "./benchmark.ts";
import { median } from "./statistics.ts";

const program = join(import.meta.dirname, "..", "apps", "agent", "scripts", "measure-adoption.ts");
const rounds = 7;
const goal = 1.3;

/** Benchmark ADOPT compares a plan that adopts 30 lost resources with a plan of the same network that has nothing to adopt. */
export const adoption: Benchmark = {
  id: "ADOPT",
  name: "adoption",
  async run({ note }) {
    const terraform = requireTool("terraform");
    if (!terraform.found) {
      note(`ADOPT skipped: ${terraform.reason}`);
      return [];
    }
    const { stdout } = await promisify(execFile)(process.execPath, [program, String(rounds)]);
    const measured = JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as Measured;
    const [ours, anchor] = [median(measured.adoption), median(measured.plan)];
    const ratio = ours / anchor;
    note(`ADOPT ${ours.toFixed(0)} / ${anchor.toFixed(0)} ms, ${ratio.toFixed(2)}`);
    return [
      {
        id: "ADOPT",
        what: `a plan that adopts ${measured.lost} lost resources, compared with a plan of the same network`,
        unit: "ms",
        ours,
        anchor,
        ratio,
        goal,
        held: ratio <= goal,
        how: `plan tasks of a network with ${measured.resources} resources on simulated AWS; median of ${rounds} alternating rounds`,
      },
    ];
  },
};

interface Measured {
  readonly adoption: readonly number[];
  readonly plan: readonly number[];
  readonly lost: number;
  readonly resources: number;
}
