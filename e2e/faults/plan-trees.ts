import type { JsonObject } from "@cloudwright/contract";
import type { Random } from "@cloudwright/platform/testing";

/** An entity to create in a tree. */
export interface PlannedEntity {
  readonly kind: "Account" | "Network" | "Cluster" | "NodePool" | "Storage";
  readonly name: string;
  readonly project: string;
  /** Collection path, such as `/v1/projects/blue/networks`. */
  readonly collection: string;
  readonly spec: JsonObject;
  readonly annotations: Readonly<Record<string, string>>;
  /** Index of the parent in the tree, or undefined for the root. */
  readonly parent: number | undefined;
  /** True if the entity's program ignores cancellation and runs for 20 minutes, so that only a forced cancellation ends it. */
  readonly stubborn: boolean;
}

/** An action that the simulated user performs on an entity of a tree. */
export interface PlannedAct {
  readonly atMs: number;
  readonly act: "create" | "update" | "cancel" | "retry" | "pause" | "resume" | "delete" | "recreate";
  /** Index of the entity in the tree. */
  readonly entity: number;
  readonly value: number;
}

export interface PlannedTree {
  readonly project: string;
  readonly entities: readonly PlannedEntity[];
  readonly acts: readonly PlannedAct[];
}

export const projects = ["default", "blue", "green", "red"];
const entitiesPerTree = 8;
const prefix = "demo.cloudwright.dev/";

/** Plans enough trees for the given number of entities. All entities are created and changed within `withinMs`. */
export function planTrees(random: Random, options: { readonly provisionings: number; readonly withinMs: number }): PlannedTree[] {
  const count = Math.ceil(options.provisionings / entitiesPerTree);
  const trees = Array.from({ length: count }, (_, index) => planTree(random.fork(), index, count, options.withinMs));
  return [...trees, ...["patient-one", "patient-two"].map(planPatient)];
}

/** Plans a task that starts immediately and outlasts any lease. An agent that loses the lease must kill its program. */
function planPatient(name: string): PlannedTree {
  const [project = ""] = projects;
  const account: PlannedEntity = {
    kind: "Account",
    name,
    project,
    collection: `/v1/projects/${project}/accounts`,
    spec: { aws: {}, simulated: true },
    annotations: { [`${prefix}*`]: "sleep=40s" },
    parent: undefined,
    stubborn: false,
  };
  return { project, entities: [account], acts: [{ atMs: 0, act: "create", entity: 0, value: 0 }] };
}

function planTree(random: Random, index: number, count: number, withinMs: number): PlannedTree {
  const project = projects[index % projects.length] as string;
  const base = `/v1/projects/${project}`;
  const stubborn = index < 2;
  const make = (
    kind: PlannedEntity["kind"],
    name: string,
    where: { collection: string; parent?: number; stubborn?: boolean },
    spec: JsonObject,
  ): PlannedEntity => ({
    kind,
    name,
    project,
    spec,
    collection: `${base}/${where.collection}`,
    parent: where.parent,
    stubborn: where.stubborn ?? false,
    annotations: where.stubborn === true ? { [`${prefix}apply`]: "sleep=20m; ignore-cancel" } : planManners(random, kind),
  });
  const [account, network, first, second] = [`a${index}`, `n${index}`, `c${index}x`, `c${index}y`];
  const entities = [
    make("Account", account, { collection: "accounts" }, { aws: {}, simulated: true }),
    make("Network", network, { collection: "networks", parent: 0 }, { account, region: "eu-west-1" }),
    make("Cluster", first, { collection: "clusters", parent: 1 }, { network }),
    make("Cluster", second, { collection: "clusters", parent: 1 }, { network }),
    make("NodePool", `p${index}x`, { collection: `clusters/${first}/nodepools`, parent: 2 }, { min: 0, desired: 1, max: 100 }),
    make("NodePool", `p${index}y`, { collection: `clusters/${second}/nodepools`, parent: 3 }, { min: 0, desired: 1, max: 100 }),
    make("Storage", `s${index}x`, { collection: "storages", parent: 2, stubborn }, { cluster: first, bucket: {} }),
    make("Storage", `s${index}y`, { collection: "storages", parent: 3 }, { cluster: second, bucket: {} }),
  ];
  // All trees are created in the first half of `withinMs`, so that faults can affect every tree.
  const startMs = Math.floor(((index + random.next()) / count) * withinMs * 0.5);
  const creates = entities.map((_, entity): PlannedAct => ({ atMs: startMs, act: "create", entity, value: 0 }));
  return { project, entities, acts: [...creates, ...planChanges(random, { startMs, withinMs, stubborn })] };
}

/** Plans how an entity's programs behave. Most finish quickly, some fail or crash at first, and some outlast a lease. */
function planManners(random: Random, kind: PlannedEntity["kind"]): Record<string, string> {
  if (kind === "NodePool") return {};
  const applyMs = random.chance(0.15) ? random.whole(8000, 16_000) : random.whole(300, 4000);
  const trouble = random.chance(0.15) ? "; fail=1" : random.chance(0.05) ? "; crash=1" : "";
  return {
    [`${prefix}apply`]: `sleep=${applyMs}ms${trouble}`,
    [`${prefix}destroy`]: `sleep=${random.whole(200, 1500)}ms`,
    [`${prefix}*`]: `sleep=${random.whole(0, 600)}ms`,
  };
}

function planChanges(
  random: Random,
  { startMs, withinMs, stubborn }: { startMs: number; withinMs: number; stubborn: boolean },
): PlannedAct[] {
  const at = (): number => Math.floor(startMs + 500 + random.next() * Math.max(0, withinMs - startMs - 1000));
  const changes: PlannedAct[] = [];
  const changed = [1, 2, 3, 4, 5, 6, 7];
  for (let count = random.whole(2, 5); count > 0; count -= 1)
    changes.push({ atMs: at(), act: "update", entity: random.pick(changed), value: random.whole(1, 90) });
  if (!stubborn && random.chance(0.4)) {
    const entity = random.whole(1, entitiesPerTree - 1);
    const atMs = at();
    changes.push(
      { atMs, act: "cancel", entity, value: 0 },
      { atMs: atMs + random.whole(500, 3000), act: "retry", entity, value: 0 },
    );
  }
  // Never deletes the stubborn entity, because createStubbornStory starts, cancels and retries that deletion itself.
  const gone = stubborn ? [3, 7] : [0, 1, 2, 3, 4, 5, 6, 7];
  if (random.chance(0.5)) {
    const entity = random.pick(gone);
    const atMs = at();
    changes.push({ atMs, act: "delete", entity, value: 0 });
    if (random.chance(0.4)) changes.push({ atMs: atMs + random.whole(0, 2000), act: "recreate", entity, value: 0 });
  }
  // Recreating an entity blocks until the previous entity has been deleted, which could delay a resume in the same tree.
  if (random.chance(0.25) && !changes.some(({ act }) => act === "recreate")) {
    const entity = random.whole(0, entitiesPerTree - 1);
    const atMs = at();
    changes.push(
      { atMs, act: "pause", entity, value: 0 },
      { atMs: atMs + random.whole(500, 5000), act: "resume", entity, value: 0 },
    );
  }
  return changes.toSorted((a, b) => a.atMs - b.atMs);
}
