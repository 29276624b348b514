import { buildTestImage, findHostObstacle, isolateCommand } from "@cloudwright/hosts/testing";
import { processEnvironment } from "@cloudwright/platform";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Benchmark, BenchmarkRun, Measurement } from "./benchmark.ts";
import type { HostMeasurement } from "./hosts/measure.ts";
import { compareRounds, median, type Round } from "./statistics.ts";

const root = join(import.meta.dirname, "..");
const limits = { create: 1.5, reachableSeconds: 40, attachMs: 500, rulesMs: 200 };

/** Compares the creation of an instance with starting the same container by hand. */
export const hostCreate = createBenchmark("HOST-create", "create", (rounds) => {
  const { ratio, lowest, highest, ...medians } = compareRounds(rounds);
  return {
    id: "HOST-create",
    what: "own machine: from creating an instance to its first SSH command, compared with a bare systemd-nspawn start",
    unit: "ms",
    ...medians,
    ratio,
    goal: limits.create,
    held: ratio <= limits.create,
    how: `image cached; the anchor adds a namespace and an interface, mounts an overlay of the same image and starts systemd-nspawn with the same cloud-init seed, in a control group of its own; ours also has a disk of limited size, name resolution, the firewall and durable records; ${rounds.length} alternating rounds (ratios ${lowest.toFixed(2)} to ${highest.toFixed(2)})`,
  };
});

/** Measures how long 20 instances that are created at once need until all of them accept commands. */
export const hostMany = createBenchmark("HOST-20", "many", (rounds) =>
  compareWithLimit(rounds, {
    id: "HOST-20",
    what: "own machine: 20 instances created at once, time until all accept SSH commands compared with the limit",
    unit: "s",
    limit: limits.reachableSeconds,
    how: "image cached, one network, one security group; SSH is tried with one connection per instance at a time, every 0.2 s",
  }),
);

/** Measures how much longer it takes to attach a volume than to create a loop device and a device node by hand. */
export const hostAttach = createBenchmark("HOST-attach", "attach", (rounds) =>
  compareWithLimit(
    rounds.map(({ ours, anchor }) => ({ ours: Math.max(0, ours - anchor), anchor })),
    {
      id: "HOST-attach",
      what: "own machine: time added to a bare `losetup` and `mknod` by attaching a volume, compared with the limit",
      unit: "ms",
      limit: limits.attachMs,
      how: `attaching took ${describe(rounds, "ours")}, the bare commands ${describe(rounds, "anchor")} (medians of ${rounds.length} alternating rounds); ours also locks the volume, records the attachment durably and allows the device in the instance's control group`,
    },
  ),
);

/** Measures how long a change of a security group needs until packets are treated by it. */
export const hostRules = createBenchmark("HOST-rules", "rules", (rounds) =>
  compareWithLimit(rounds, {
    id: "HOST-rules",
    what: "own machine: from the call that changes a security group until packets are treated by the new rules, compared with the limit",
    unit: "ms",
    limit: limits.rulesMs,
    how: `50 instances in 20 groups with 20 rules each; one instance sends a UDP packet to another one every millisecond, while rules are added and removed; median of ${rounds.length} changes`,
  }),
);

interface Limited {
  readonly id: string;
  readonly what: string;
  readonly unit: string;
  readonly limit: number;
  readonly how: string;
}

function compareWithLimit(rounds: readonly Round[], { limit, ...rest }: Limited): Measurement {
  const ours = median(rounds.map((round) => round.ours));
  return { ...rest, ours, anchor: limit, ratio: ours / limit, goal: 1, held: ours <= limit };
}

function describe(rounds: readonly Round[], side: keyof Round): string {
  return `${median(rounds.map((round) => round[side])).toFixed(0)} ms`;
}

function createBenchmark(id: string, name: HostMeasurement, compare: (rounds: readonly Round[]) => Measurement): Benchmark {
  return {
    id,
    name: `host-${name}`,
    async run({ note }) {
      const obstacle = findHostObstacle();
      if (obstacle !== undefined) {
        note(`${id} skipped, because ${obstacle}`);
        return [];
      }
      const rounds = await measureIsolated(name, (line) => note(`${id} ${line}`));
      return [compare(rounds)];
    },
  };
}

/** Measures in a process with a network namespace of its own, so that no packet leaves the machine. */
async function measureIsolated(name: HostMeasurement, note: BenchmarkRun["note"]): Promise<Round[]> {
  const image = await buildTestImage(join(root, ".cache", "hosts"));
  const script = join(import.meta.dirname, "hosts", "measure.ts");
  const [file, args] = isolateCommand([process.execPath, script, name, image]);
  const child = spawn(file, args, { cwd: root, env: processEnvironment, stdio: ["ignore", "pipe", "inherit"] });
  let printed = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (printed += text));
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new Error(`the benchmark host-${name} exited with code ${code}`);
  const rounds = JSON.parse(printed) as Round[];
  for (const { ours, anchor } of rounds) note(`${ours.toFixed(1)} / ${anchor.toFixed(1)}`);
  return rounds;
}
