/** What doors, the store and the command line need to know of a kind without loading its descriptors. */
export interface Kind {
  readonly kind: string;
  /** Path segment: `/v1/projects/{project}/<collection>`. */
  readonly collection: string;
  /** Singular and aliases as typed on the command line. */
  readonly words: readonly string[];
  /** Global kinds belong to no project. */
  readonly scope: "project" | "global";
  /** The kind directly above it, and the spec field that names it; node pools are named below their cluster in the path. */
  readonly parent?: { readonly kind: string; readonly field: string | undefined };
  /** Kinds with work behind them have phases and can be paused. */
  readonly provisioned: boolean;
}

/** Every kind that is stored as an entity, parents before children. A test holds it against the proto files. */
export const kinds = [
  { kind: "Project", collection: "projects", words: ["project"], scope: "global", provisioned: false },
  { kind: "User", collection: "users", words: ["user"], scope: "global", provisioned: false },
  { kind: "ApiKey", collection: "apikeys", words: ["apikey", "key"], scope: "global", provisioned: false },
  { kind: "RoleBinding", collection: "rolebindings", words: ["rolebinding", "role"], scope: "project", provisioned: false },
  { kind: "Environment", collection: "environments", words: ["environment", "env"], scope: "project", provisioned: false },
  { kind: "Account", collection: "accounts", words: ["account"], scope: "project", provisioned: true },
  {
    kind: "Network",
    collection: "networks",
    words: ["network", "vpc"],
    scope: "project",
    parent: { kind: "Account", field: "account" },
    provisioned: true,
  },
  {
    kind: "Cluster",
    collection: "clusters",
    words: ["cluster", "kubernetes", "k8s"],
    scope: "project",
    parent: { kind: "Network", field: "network" },
    provisioned: true,
  },
  {
    kind: "NodePool",
    collection: "nodepools",
    words: ["nodepool", "pool"],
    scope: "project",
    parent: { kind: "Cluster", field: undefined },
    provisioned: true,
  },
  {
    kind: "Storage",
    collection: "storages",
    words: ["storage"],
    scope: "project",
    parent: { kind: "Cluster", field: "cluster" },
    provisioned: true,
  },
  { kind: "Agent", collection: "agents", words: ["agent"], scope: "project", provisioned: false },
  { kind: "Operation", collection: "operations", words: ["operation", "op"], scope: "project", provisioned: false },
  { kind: "Task", collection: "tasks", words: ["task"], scope: "project", provisioned: false },
] as const satisfies readonly Kind[];

export type KindName = (typeof kinds)[number]["kind"];

const byName: ReadonlyMap<string, Kind> = new Map(kinds.map((kind) => [kind.kind, kind]));

/** The kind of that name; an unknown one is a programming error. */
export function getKind(name: string): Kind {
  const kind = byName.get(name);
  if (kind === undefined) throw new Error(`unknown kind ${name}`);
  return kind;
}

/** Whether entities of this kind are stored; events, tokens and the like are not. */
export function isEntityKind(name: string): boolean {
  return byName.has(name);
}

/** The kind whose name, collection or word this is, in any case; undefined when there is none. */
export function findKind(word: string): Kind | undefined {
  const lower = word.toLowerCase();
  const all: readonly Kind[] = kinds;
  return all.find((kind) => kind.kind.toLowerCase() === lower || kind.collection === lower || kind.words.includes(lower));
}

/** The kinds directly below this one. */
export function childKinds(name: string): readonly Kind[] {
  const all: readonly Kind[] = kinds;
  return all.filter((kind) => kind.parent?.kind === name);
}

/** The roles from least to most; `agent` stands apart and is never above another. */
export const roles = ["viewer", "editor", "admin", "owner"] as const;
export type Role = (typeof roles)[number] | "agent";

/** Whether a caller who has `held` may do what asks for `asked`. */
export function roleReaches(held: Role, asked: Role): boolean {
  if (held === "agent" || asked === "agent") return held === asked;
  return roles.indexOf(held) >= roles.indexOf(asked);
}

/** A binding in this project reaches every project. */
export const systemProject = "system";

/** The project that exists from the first start. */
export const defaultProject = "default";
