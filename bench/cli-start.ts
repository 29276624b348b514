import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Benchmark } from "./benchmark.ts";
import { compareRounds, interleave } from "./statistics.ts";

const cli = join(import.meta.dirname, "..", "apps", "cli");
const rounds = 21;
const goal = 4;

/** Benchmark P8 measures how long the CLI takes to start. */
export const cliStart: Benchmark = {
  id: "P8",
  name: "cli-start",
  async run({ note }) {
    const built = spawnSync(process.execPath, [join(cli, "scripts", "build.ts")], { encoding: "utf8" });
    if (built.status !== 0) throw new Error(`the CLI could not be built: ${built.stderr}`);
    const version = (): Promise<number> => timeNode([join(cli, "bin", "cloud.js"), "--version"]);
    const bare = (): Promise<number> => timeNode(["-e", "0"]);
    const measured = await interleave({ rounds, warmUp: 2 }, version, bare);
    const { ratio, lowest, highest, ...medians } = compareRounds(measured);
    note(`P8 ${medians.ours.toFixed(0)} / ${medians.anchor.toFixed(0)} ms`);
    const how = `time from process start to exit, including the launcher and the bundle; ${rounds} alternating runs of each (ratios ${lowest.toFixed(2)} to ${highest.toFixed(2)})`;
    return [
      {
        id: "P8",
        what: "`cloud --version` compared with `node -e 0`",
        unit: "ms",
        ...medians,
        ratio,
        goal,
        held: ratio <= goal,
        how,
      },
    ];
  },
};

async function timeNode(args: readonly string[]): Promise<number> {
  const started = performance.now();
  const child = spawn(process.execPath, args, { stdio: "ignore" });
  const [code] = (await once(child, "exit")) as [number | null];
  if (code !== 0) throw new Error(`node ${args.join(" ")} exited with ${code}`);
  return performance.now() - started;
}
