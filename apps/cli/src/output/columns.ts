import type { EntityByKind, Stored } from "@cloudwright/api-client";
import { cloudOf } from "@cloudwright/contract/clouds";
import { getKind, type KindName } from "@cloudwright/contract/kinds";
import { renderAge } from "./age.ts";
import type { Item } from "./item.ts";
import type { Paint } from "./paint.ts";
import type { Column } from "./table.ts";

type Show<Name extends KindName> = (entity: Stored<EntityByKind[Name]>) => string | number | undefined;
type Shown<Name extends KindName> = readonly (readonly [title: string, show: Show<Name>, wide?: "wide"])[];

const own: { readonly [Name in KindName]: Shown<Name> } = {
  Project: [
    ["DISPLAY NAME", ({ spec }) => spec?.displayName],
    ["DESCRIPTION", ({ spec }) => spec?.description, "wide"],
  ],
  User: [
    ["DISPLAY NAME", ({ spec }) => spec?.displayName],
    ["EMAIL", ({ spec }) => spec?.email],
    ["DISABLED", ({ spec }) => (spec?.disabled === true ? "yes" : "no")],
  ],
  ApiKey: [
    ["USER", ({ spec }) => spec?.user],
    ["PREFIX", ({ status }) => status?.prefix],
    ["PROJECT", ({ spec }) => spec?.project || "*"],
    ["ROLE", ({ spec }) => spec?.role],
    ["EXPIRES", ({ spec }) => spec?.expiresAt ?? "never"],
    ["DESCRIPTION", ({ spec }) => spec?.description, "wide"],
  ],
  RoleBinding: [
    ["USER", ({ spec }) => spec?.user],
    ["ROLE", ({ spec }) => spec?.role],
    ["ENVIRONMENT", ({ metadata }) => metadata.environment || "*"],
  ],
  Environment: [
    ["MEMBERS", ({ status }) => (status?.members ?? []).reduce((sum, { count }) => sum + (count ?? 0), 0)],
    ["DESCRIPTION", ({ spec }) => spec?.description],
  ],
  Account: [["CLOUD", ({ spec }) => `${cloudOf(spec ?? {}) ?? ""}${spec?.simulated === true ? " (simulated)" : ""}`]],
  Network: [
    ["ACCOUNT", ({ spec }) => spec?.account],
    ["REGION", ({ spec }) => spec?.region],
    ["CIDR", ({ spec, status }) => status?.cidr || spec?.cidr],
    ["NETWORK ID", ({ status }) => status?.networkId, "wide"],
  ],
  Cluster: [
    ["VERSION", ({ spec, status }) => status?.version || spec?.version],
    ["NETWORK", ({ spec }) => spec?.network],
    [
      "WORKERS",
      // The spec only has the default pool, so it is used only until the real number of nodes is known.
      ({ spec, status }) =>
        status?.readyNodes === undefined
          ? spec?.workers
          : [status.readyNodes, status.wantedNodes].filter((count) => count !== undefined).join("/"),
    ],
    ["ENDPOINT", ({ status }) => status?.endpoint, "wide"],
  ],
  NodePool: [
    ["TYPE", ({ spec }) => spec?.instanceType],
    ["MIN", ({ spec }) => spec?.min ?? 0],
    ["DESIRED", ({ spec }) => spec?.desired ?? 0],
    ["MAX", ({ spec }) => spec?.max ?? 0],
    ["READY", ({ status }) => status?.readyNodes],
    ["CAPACITY", ({ spec }) => spec?.capacity, "wide"],
  ],
  Storage: [
    ["CLUSTER", ({ spec }) => spec?.cluster],
    ["TYPE", ({ spec }) => (spec?.bucket === undefined ? `volume ${spec?.volume?.sizeGib ?? 0} GiB` : "bucket")],
    ["RESOURCE ID", ({ status }) => status?.resourceId, "wide"],
  ],
  Agent: [
    ["VERSION", ({ status }) => status?.version],
    ["DRAINING", ({ spec }) => (spec?.draining === true ? "yes" : "no")],
    ["TASKS", ({ status }) => status?.runningTasks ?? 0],
    ["LAST SEEN", ({ status }) => status?.lastSeenAt],
    ["REACHES", ({ status }) => renderLabels(status?.labels), "wide"],
    ["TASK TYPES", ({ status }) => (status?.types ?? []).join(","), "wide"],
  ],
  Operation: [
    ["VERB", ({ spec }) => spec?.verb],
    ["ENTITY", ({ spec }) => `${spec?.entityKind ?? ""}/${spec?.entityName ?? ""}`],
    [
      "STEPS",
      ({ status }) => `${(status?.steps ?? []).filter(({ state }) => state === "DONE").length}/${status?.steps?.length ?? 0}`,
    ],
    ["BY", ({ spec }) => spec?.actor, "wide"],
    ["RETRIES", ({ spec }) => spec?.retries ?? 0, "wide"],
    ["CODE", ({ status }) => status?.code, "wide"],
  ],
  Task: [
    ["TYPE", ({ spec }) => spec?.type],
    ["ENTITY", ({ spec }) => `${spec?.entityKind ?? ""}/${spec?.entityName ?? ""}`],
    ["ATTEMPT", ({ status }) => status?.attempt ?? 0],
    ["AGENT", ({ status }) => status?.agent],
    ["OPERATION", ({ spec }) => spec?.operation, "wide"],
    ["NEEDS", ({ spec }) => renderLabels(spec?.placement), "wide"],
  ],
};

/** Returns the columns of a kind: name, phase, its own fields, message and age. */
export function columnsOf(
  kind: KindName,
  { nowMs, wide, paint }: { nowMs: number; wide: boolean; paint: Paint },
): Column<Item>[] {
  const shown = own[kind] as Shown<never>;
  const columns: Column<Item>[] = [
    ...(kind === "NodePool" ? [{ title: "CLUSTER", value: (item: Item) => withMark(item.cluster ?? "", item) }] : []),
    { title: "NAME", value: ({ entity }) => entity.metadata.name },
    { title: hasState.has(kind) ? "STATE" : "PHASE", value: renderPhase, paint: paint.phase },
    ...shown.map(([title, show, width]) => ({
      title,
      value: (item: Item) => {
        const text = String(show(item.entity as never) ?? "");
        return title === parentColumn[kind] ? withMark(text, item) : text;
      },
      wide: width === "wide",
    })),
    { title: "AGE", value: ({ entity }) => renderAge(entity.metadata.createdAt, nowMs) },
    { title: "ENVIRONMENT", value: ({ entity }) => entity.metadata.environment ?? "", wide: true },
    { title: "LABELS", value: ({ entity }) => renderLabels(entity.metadata.labels), wide: true },
    { title: "UID", value: ({ entity }) => entity.metadata.uid, wide: true },
    ...(getKind(kind).provisioned
      ? [{ title: "OPERATION", value: ({ entity }: Item) => entity.metadata.operation ?? "", wide: true }]
      : []),
    { title: hasState.has(kind) ? "MESSAGE" : "WAITING FOR", value: ({ entity }) => entity.status?.message ?? "" },
  ];
  const seen = new Set<string>();
  return columns
    .filter((column) => {
      if (
        seen.has(column.title) ||
        (column.wide === true && !wide) ||
        (["PHASE", "STATE"].includes(column.title) && !hasPhase(kind))
      )
        return false;
      return seen.add(column.title);
    })
    .filter((column) => column.title !== "WAITING FOR" || hasPhase(kind));
}

/** The column with the parent's name, marked if its account is simulated. */
const parentColumn: Readonly<Partial<Record<KindName, string>>> = { Network: "ACCOUNT", Cluster: "NETWORK", Storage: "CLUSTER" };

function withMark(text: string, { simulated = false }: Item): string {
  return simulated ? `${text} (simulated)` : text;
}

/** Kinds that end and therefore have a state instead of a phase. */
const hasState: ReadonlySet<string> = new Set<KindName>(["Operation", "Task"]);

const withoutPhase: ReadonlySet<string> = new Set<KindName>(["Project", "User", "ApiKey", "RoleBinding", "Environment"]);

function hasPhase(kind: KindName): boolean {
  return !withoutPhase.has(kind);
}

/** `PROVISIONING 40%`, `RUNNING (paused)`; for operations and tasks, their state. */
export function renderPhase({ entity: { metadata, status } }: Item): string {
  const {
    phase,
    state = "",
    progressPercent = 0,
  } = { ...status } as { phase?: string; state?: string; progressPercent?: number };
  const isEnded = ["FAILED", "CANCELLED", "DONE"].includes(phase ?? state);
  const progress = !isEnded && progressPercent > 0 && progressPercent < 100 ? ` ${progressPercent}%` : "";
  return `${phase ?? state}${progress}${metadata.paused === true ? " (paused)" : ""}`;
}

/** `a=1,b=2`. */
export function renderLabels(labels: Readonly<Record<string, string>> = {}): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(",");
}
