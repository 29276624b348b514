import { isDeepStrictEqual } from "node:util";
import type { JsonObject } from "@cloudwright/contract";
import { systemClock } from "@cloudwright/platform";
import type { Driver, WantedEntity } from "./driver.ts";
import type { FaultPlatform } from "./platform.ts";

interface EntityRow {
  readonly kind: string;
  readonly name: string;
  readonly project: string;
  readonly object: {
    readonly metadata: { readonly generation: number; readonly operation: string };
    readonly spec: JsonObject;
    readonly status: JsonObject;
  };
  /** State of the entity's latest operation. */
  readonly state: string | null;
}

/** An entity that is not yet in its most recently requested state. */
export interface Unsettled {
  readonly what: string;
  readonly entity: WantedEntity;
  readonly state: string;
}

/** Returns the entities that are not in their most recently requested state. */
async function findUnsettled(platform: FaultPlatform, driver: Driver): Promise<Unsettled[]> {
  const rows = await platform.query<EntityRow>(
    `select e.kind, e.name, e.project, e.object, o.object -> 'status' ->> 'state' as state from entity e
      left join entity o on o.kind = 'Operation' and o.project = e.project and o.name = e.object -> 'metadata' ->> 'operation'
      where e.kind in ('Account', 'Network', 'Cluster', 'NodePool', 'Storage')`,
  );
  const found = new Map(rows.map((row) => [`${row.project} ${row.kind} ${row.name}`, row]));
  return driver.wanted.flatMap((entity): Unsettled[] => {
    const { kind, name, project } = entity.plan;
    const row = found.get(`${project} ${kind} ${name}`);
    const trouble = describeTrouble(entity, row);
    return trouble === undefined ? [] : [{ what: `${kind} ${name}: ${trouble}`, entity, state: row?.state ?? "" }];
  });
}

function describeTrouble(entity: WantedEntity, row: EntityRow | undefined): string | undefined {
  if (entity.state === "planned") return row === undefined ? undefined : "exists although it was never requested";
  if (entity.state === "gone") return row === undefined ? undefined : `should be deleted but is ${describe(row)}`;
  if (row === undefined) return "is lost";
  const { status, metadata, spec } = row.object;
  const settled = status["phase"] === "RUNNING" && status["observedGeneration"] === metadata.generation && row.state === "DONE";
  if (!settled) return `should be RUNNING but is ${describe(row)}`;
  const differs = Object.entries(entity.spec).some(([name, value]) => !isWithin(spec[name], value));
  return differs ? `has the spec ${JSON.stringify(spec)}, not ${JSON.stringify(entity.spec)}` : undefined;
}

function describe({ object: { status, metadata }, state }: EntityRow): string {
  const { phase, observedGeneration, message } = status as { phase?: string; observedGeneration?: number; message?: string };
  return `${phase} (generation ${observedGeneration} of ${metadata.generation}, operation ${metadata.operation} ${state}): ${message}`;
}

/** Returns whether `there` contains everything in `asked`, compared recursively. Additional fields in `there` are allowed. */
function isWithin(there: unknown, asked: unknown): boolean {
  if (typeof asked !== "object" || asked === null) return isDeepStrictEqual(there, asked);
  return Object.entries(asked).every(([name, value]) => isWithin((there as JsonObject | undefined)?.[name], value));
}

/**
 * Waits until every entity is in its most recently requested state. Retries, as a user would, operations that were cancelled or that failed
 * because of a cancellation. Everything else must recover automatically.
 */
export async function waitUntilSettled(
  platform: FaultPlatform,
  driver: Driver,
  withinMs: number,
): Promise<{ readonly seconds: number; readonly unsettled: readonly string[] }> {
  const startedMs = performance.now();
  for (;;) {
    const unsettled = await findUnsettled(platform, driver);
    const seconds = Math.round((performance.now() - startedMs) / 100) / 10;
    if (unsettled.length === 0 || seconds * 1000 > withinMs) return { seconds, unsettled: unsettled.map(({ what }) => what) };
    for (const { entity, state } of unsettled) {
      const ended = state === "CANCELLED" || state === "FAILED";
      if (ended && driver.cancelled.has(entity.tree)) await driver.retry(entity);
    }
    await systemClock.sleep(1000);
  }
}
