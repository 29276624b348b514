import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { processEnvironment } from "@cloudwright/platform";
import type { Benchmark } from "./benchmark.ts";
import { median } from "./statistics.ts";

const root = join(import.meta.dirname, "..");
const limitSeconds = 30;
const rounds = 3;

/** Benchmark P7 measures the time from `npm ci` to a running cluster. */
export const quickstart: Benchmark = {
  id: "P7",
  name: "quickstart",
  async run({ note }) {
    const taken: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const seconds = await timeQuickstart();
      note(`P7 RUNNING after ${seconds.toFixed(1)} s`);
      taken.push(seconds);
    }
    const ours = median(taken);
    const ratio = ours / limitSeconds;
    const how = `\`npm run quickstart\` in an empty home directory, from start to exit: control plane, embedded PostgreSQL and agent, then an account, network, cluster and bucket, built by real Terraform in the simulated cloud; median of ${rounds}`;
    return [
      {
        id: "P7",
        what: "quick start after `npm ci`: time to RUNNING compared with the limit",
        unit: "s",
        ours,
        anchor: limitSeconds,
        ratio,
        goal: 1,
        held: ratio <= 1,
        how,
      },
    ];
  },
};

async function timeQuickstart(): Promise<number> {
  const home = await mkdtemp(join(tmpdir(), "cw-bench-"));
  try {
    const started = performance.now();
    await run(home);
    return (performance.now() - started) / 1000;
  } finally {
    await run(home, "--delete");
    await rm(home, { recursive: true, force: true });
  }
}

async function run(home: string, ...args: string[]): Promise<void> {
  const child = spawn("npm", ["run", "--silent", "quickstart", "--", ...args], {
    cwd: root,
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...processEnvironment, CLOUDWRIGHT_HOME: home, CLOUDWRIGHT_LISTEN: "127.0.0.1:0" },
  });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said = `${said}${text}`.slice(-2000)));
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new Error(`npm run quickstart ${args.join(" ")} exited with ${code}: ${said}`);
}
