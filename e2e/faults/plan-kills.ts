import type { JsonObject } from "@cloudwright/contract";
import type { Victim } from "../kill-matrix/kill-cases.ts";
import type { Random } from "@cloudwright/platform/testing";

/** A network with the entities inside it. */
export interface KillTree {
  readonly name: string;
  readonly network: JsonObject;
  /** Undefined for a network with one zone, because a cluster needs two. */
  readonly cluster: JsonObject | undefined;
  readonly storage: JsonObject | undefined;
}

/** What the simulated user does right after a kill. */
export type KillAct = "none" | "update" | "delete";

/** One kill, and what follows it. */
export interface KillStep {
  readonly pauseMs: number;
  /** Processes to kill in quick succession. `terraform` may occur several times. */
  readonly victims: readonly Victim[];
  /** Time until a killed control plane is started again. */
  readonly downMs: number;
  readonly act: KillAct;
  /** Maximum time to wait for a Terraform process if none is running. */
  readonly waitMs: number;
  /** New speed of the simulated cloud, or undefined to keep the current one. */
  readonly speed: number | undefined;
}

const zones = ["a", "b", "c"];
const releases = ["v0.1.0", "v1.0.0", "v1.1.0"];

/** Chooses networks with clusters, plus one network without a cluster for every eight networks with one. */
export function planKillTrees(random: Random, clusters: number): KillTree[] {
  return Array.from({ length: clusters + Math.ceil(clusters / 8) }, (_, nth) => {
    const name = `net-${nth + 1}`;
    const infra = { version: random.pick(releases) };
    const count = nth < clusters ? random.whole(2, 3) : 1;
    const around = { version: random.pick([infra.version, "v1.2.0"]) };
    const network = { account: "sim", region: "eu-west-1", zones: zones.slice(0, count), nat: random.pick(nats), infra: around };
    if (count === 1) return { name, network, cluster: undefined, storage: undefined };
    const cluster = { network: name, workers: random.whole(1, 2), version: "1.33", infra };
    const type = random.pick([{ bucket: { versioning: true } }, { volume: { sizeGib: 10, zone: "a" } }]);
    const storage = random.chance(0.3) ? { cluster: name, ...type } : undefined;
    return { name, network, cluster, storage };
  });
}

/** Chooses an update to one entity of a tree. The update is valid whether the entity is running or still being built. */
export function planUpdate(random: Random, { cluster, storage }: KillTree): readonly [collection: string, spec: JsonObject] {
  const choices: (readonly [string, JsonObject])[] = [["networks", { nat: random.pick(nats) }]];
  if (cluster !== undefined) choices.push(["clusters", { workers: random.whole(1, 3) }]);
  if (storage?.["bucket"] !== undefined) choices.push(["storages", { bucket: { expireAfterDays: random.whole(1, 90) } }]);
  return random.pick(choices);
}

/** Chooses a kill. Bursts of kills alternate with pauses that are long enough for a run to make progress. */
export function planKill(random: Random): KillStep {
  const victims = random.pick(blows);
  // Killing the agent or the control plane interrupts all runs. Without a longer pause, no run would make much progress.
  const interruptsAll = victims.some((victim) => victim !== "terraform");
  const pauses = interruptsAll ? [20, 8000, 16_000, 24_000] : [400, 4000, 4000, 12_000];
  return {
    pauseMs: random.whole(20, random.pick(pauses)),
    victims,
    downMs: random.chance(0.5) ? 0 : random.whole(0, longestDownMs),
    act: random.pick(acts),
    waitMs: random.whole(0, 3000),
    speed: random.chance(0.08) ? random.pick([1000, 300, 100]) : undefined,
  };
}

const nats = ["single", "per-zone"];
const acts: readonly KillAct[] = ["none", "none", "update", "update", "delete"];
/** Longer than a lease plus its grace period, so that leases can expire while the control plane is down. */
const longestDownMs = 11_000;
/** The control plane takes seconds to start, so it is killed less often. */
const blows: readonly (readonly Victim[])[] = [
  ["terraform"],
  ["terraform"],
  ["terraform"],
  ["terraform"],
  ["terraform"],
  ["terraform"],
  ["terraform"],
  ["terraform", "terraform", "terraform"],
  ["agent"],
  ["agent"],
  ["agent", "terraform"],
  ["terraform", "agent"],
  ["control plane"],
  ["agent", "control plane"],
  ["terraform", "agent", "control plane"],
];
