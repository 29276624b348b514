import type { JsonObject } from "@cloudwright/contract";
import { systemClock } from "@cloudwright/platform";
import type { Answer, Client } from "./client.ts";
import type { PlannedAct, PlannedEntity, PlannedTree } from "./plan-trees.ts";

/** An entity with its most recently requested state. */
export interface WantedEntity {
  readonly plan: PlannedEntity;
  readonly tree: number;
  state: "planned" | "there" | "gone";
  /** The most recently requested spec. */
  spec: JsonObject;
}

/** The simulated user. It performs the planned actions of all trees concurrently and remembers what it requested. */
export interface Driver {
  readonly wanted: readonly WantedEntity[];
  readonly counts: Record<"provisionings" | "updates" | "deletes" | "recreated" | "cancels" | "retries" | "pauses", number>;
  /** Indexes of trees with a cancelled operation. Operations that failed because of the cancellation must be retried. */
  readonly cancelled: ReadonlySet<number>;
  /** Resolves once all planned actions are done. */
  run(): Promise<void>;
  /** Retries the entity's latest operation. Returns true if the server accepted the request. */
  retry(entity: WantedEntity): Promise<boolean>;
  cancel(entity: WantedEntity): Promise<boolean>;
  pathOf(entity: WantedEntity): string;
}

/** Fault codes that can legitimately result from a race with another change. */
const inOrder = ["api.operation_ended", "api.not_retryable", "api.being_deleted", "api.not_found"];

export function createDriver(client: Client, trees: readonly PlannedTree[]): Driver {
  const wanted = trees.map(({ entities }, tree) =>
    entities.map((plan): WantedEntity => ({ plan, tree, state: "planned", spec: {} })),
  );
  const counts = { provisionings: 0, updates: 0, deletes: 0, recreated: 0, cancels: 0, retries: 0, pauses: 0 };
  const cancelled = new Set<number>();
  const pathOf = ({ plan }: WantedEntity): string => `${plan.collection}/${plan.name}`;
  const must = (what: string, { status, code, body }: Answer): boolean => {
    if (status >= 200 && status < 300) return true;
    if (!inOrder.includes(code)) client.surprises.push(`${what}: ${status} ${JSON.stringify(body).slice(0, 300)}`);
    return false;
  };

  const create = async (entity: WantedEntity): Promise<void> => {
    const { name, annotations, spec, collection } = entity.plan;
    const body = { metadata: { name, annotations: { ...annotations } }, spec };
    if (
      !must(`create ${name}`, await client.send("POST", collection, body, { "idempotency-key": `create-${collection}-${name}` }))
    )
      return;
    entity.state = "there";
    counts.provisionings += 1;
  };
  const recreate = async (entity: WantedEntity): Promise<void> => {
    const { name, annotations, spec, collection } = entity.plan;
    const body = { metadata: { name, annotations: { ...annotations } }, spec };
    for (;;) {
      const answer = await client.send("POST", collection, body, { "idempotency-key": `recreate-${collection}-${name}` });
      // The previous entity with this name has not been deleted yet.
      if (answer.code === "store.exists") await systemClock.sleep(500);
      else if (!must(`recreate ${name}`, answer)) return;
      else break;
    }
    Object.assign(entity, { state: "there", spec: {} });
    counts.recreated += 1;
  };
  const pause = async (entity: WantedEntity, verb: "pause" | "resume"): Promise<void> => {
    if (must(`${verb} ${entity.plan.name}`, await client.send("POST", `${pathOf(entity)}:${verb}`, {}))) counts.pauses += 1;
  };
  const update = async (entity: WantedEntity, value: number): Promise<void> => {
    const spec = renderChange(entity.plan.kind, value);
    if (!must(`update ${entity.plan.name}`, await client.send("PATCH", pathOf(entity), { spec }))) return;
    entity.spec = spec;
    counts.updates += 1;
  };
  const remove = async (family: readonly WantedEntity[], index: number): Promise<void> => {
    const entity = family[index] as WantedEntity;
    must(`delete ${entity.plan.name}`, await client.send("DELETE", `${pathOf(entity)}?cascade=true`));
    for (const [place, member] of family.entries()) if (isBelow(family, place, index)) member.state = "gone";
    counts.deletes += 1;
  };
  const act = async (entity: WantedEntity, verb: "cancel" | "retry"): Promise<boolean> => {
    const found = await client.send("GET", pathOf(entity));
    if (found.status !== 200) return false;
    const { operation } = (found.body as { metadata: { operation: string } }).metadata;
    const path = `/v1/projects/${entity.plan.project}/operations/${operation}:${verb}`;
    const taken = must(`${verb} ${entity.plan.name}`, await client.send("POST", path, {}));
    if (taken) counts[verb === "cancel" ? "cancels" : "retries"] += 1;
    return taken;
  };
  const cancel = async (entity: WantedEntity): Promise<boolean> => {
    cancelled.add(entity.tree);
    return act(entity, "cancel");
  };
  const perform = async ({ act: what, entity: index, value }: PlannedAct, family: readonly WantedEntity[]): Promise<void> => {
    const entity = family[index] as WantedEntity;
    if (what === "create") return create(entity);
    if (what === "recreate") return recreate(entity);
    // Resumes the entity even if it is to be deleted, because a paused entity cannot be deleted.
    if (what === "resume") return pause(entity, what);
    if (entity.state !== "there") return;
    if (what === "pause") return pause(entity, what);
    if (what === "update") return update(entity, value);
    if (what === "delete") return remove(family, index);
    if (what === "cancel") await cancel(entity);
    else await act(entity, "retry");
  };
  return {
    wanted: wanted.flat(),
    counts,
    cancelled,
    pathOf,
    cancel,
    retry: (entity) => act(entity, "retry"),
    async run() {
      const startedMs = performance.now();
      const runTree = async ({ acts }: PlannedTree, tree: number): Promise<void> => {
        for (const planned of acts) {
          const waitMs = startedMs + planned.atMs - performance.now();
          if (waitMs > 0) await systemClock.sleep(waitMs);
          await perform(planned, wanted[tree] as WantedEntity[]);
        }
      };
      await Promise.all(trees.map(runTree));
    },
  };
}

function isBelow(family: readonly WantedEntity[], place: number | undefined, top: number): boolean {
  return place !== undefined && (place === top || isBelow(family, family[place]?.plan.parent, top));
}

function renderChange(kind: PlannedEntity["kind"], value: number): JsonObject {
  switch (kind) {
    case "Account":
      return { aws: { accountId: String(100_000_000_000 + value) } };
    case "Network":
      return { nat: value % 2 === 0 ? "single" : "none" };
    case "Cluster":
      return { workers: value };
    case "NodePool":
      return { desired: value };
    case "Storage":
      return { bucket: { expireAfterDays: value } };
  }
}
