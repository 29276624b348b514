import type { Environment } from "./config.ts";
import { Fault } from "./fault.ts";
import { platformFaults } from "./faults.ts";

/** The parts of a control plane that can run apart: the API, the door that agents come to, the reconciler, and an agent of its own. */
export const serverRoles = ["api", "tasks", "reconciler", "agent"] as const;
export type ServerRole = (typeof serverRoles)[number];

/** How the engine works: what this process does of it, how long leases are, and how often things are looked at. */
export interface EngineConfig {
  readonly roles: ReadonlySet<ServerRole>;
  readonly leaseSeconds: number;
  /** How much longer than its lease an attempt is waited for before somebody else gets the task. */
  readonly leaseGraceSeconds: number;
  readonly taskAttempts: number;
  readonly projectQuota: number | undefined;
  /** Tasks that use one account at once: as many as its calls at once allow, by what each makes at once. */
  readonly accountBudget: number | undefined;
  /** Calls to the cloud that one run may make at once. */
  readonly parallelism: number;
  /** How many passes of the reconciler run at once. Each takes several entities. */
  readonly workers: number;
  /** By kind; those of `*` for all others. */
  readonly resyncMs: Readonly<Record<string, number>>;
  readonly driftMs: Readonly<Record<string, number>>;
  readonly demoHandlers: boolean;
  /** A folder of policies beside the product's own. */
  readonly policies: string | undefined;
}

/** Kinds that are looked at on an interval. */
const kinds = ["Account", "Network", "Cluster", "NodePool", "Storage"];

/** Reads and checks the engine's settings; a wrong value names its variable. */
export function readEngineConfig(environment: Environment, roles = environment["CLOUDWRIGHT_ROLES"]): EngineConfig {
  const whole = (name: string, fallback: number): number => parseWhole(name, environment[name] || String(fallback));
  const limit = (name: string): number | undefined => (environment[name] ? parseWhole(name, environment[name]) : undefined);
  const parallelism = whole("CLOUDWRIGHT_RUN_PARALLELISM", 10);
  const calls = limit("CLOUDWRIGHT_ACCOUNT_BUDGET");
  return {
    roles: parseRoles(roles || serverRoles.join(",")),
    leaseSeconds: parseLease("CLOUDWRIGHT_LEASE_SECONDS", whole("CLOUDWRIGHT_LEASE_SECONDS", 30)),
    leaseGraceSeconds: whole("CLOUDWRIGHT_LEASE_GRACE_SECONDS", 10),
    taskAttempts: whole("CLOUDWRIGHT_TASK_ATTEMPTS", 8),
    projectQuota: limit("CLOUDWRIGHT_PROJECT_QUOTA"),
    accountBudget: calls === undefined ? undefined : Math.max(1, Math.floor(calls / parallelism)),
    parallelism,
    workers: whole("CLOUDWRIGHT_RECONCILE_WORKERS", 2),
    resyncMs: parseIntervals("CLOUDWRIGHT_RESYNC", environment["CLOUDWRIGHT_RESYNC"] || "30m"),
    driftMs: parseIntervals("CLOUDWRIGHT_DRIFT_CHECK", environment["CLOUDWRIGHT_DRIFT_CHECK"] || "off"),
    demoHandlers: environment["CLOUDWRIGHT_DEMO_HANDLERS"] === "1",
    policies: environment["CLOUDWRIGHT_POLICIES"] || undefined,
  };
}

function parseRoles(text: string): ReadonlySet<ServerRole> {
  const roles = text.split(",").map((word) => {
    const role = serverRoles.find((known) => known === word.trim());
    if (role === undefined) {
      const message = `"${word.trim()}" of --roles or CLOUDWRIGHT_ROLES is not one of ${serverRoles.join(", ")}`;
      throw new Fault(platformFaults.bad_configuration, message);
    }
    return role;
  });
  return new Set(roles);
}

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `30m` for all kinds, or `Cluster=10m,Network=1h,*=2h`; `off` for never. */
function parseIntervals(name: string, text: string): Readonly<Record<string, number>> {
  const intervals: Record<string, number> = {};
  for (const part of text.split(",")) {
    const [given, value] = part.includes("=") ? part.split("=").map((word) => word.trim()) : ["*", part.trim()];
    const known = given === "*" ? "*" : kinds.find((kind) => kind.toLowerCase() === given?.toLowerCase());
    const match = /^(\d{1,9})(ms|s|m|h|d)$/.exec(value ?? "");
    if (known === undefined || (match === null && value !== "off")) {
      const message = `${name}: "${part}" is not an interval such as 30m, off, or Cluster=10m (kinds: ${kinds.join(", ")})`;
      throw new Fault(platformFaults.bad_configuration, message);
    }
    intervals[known] = match === null ? 0 : Number(match[1]) * (unitMs[match[2] ?? ""] ?? 0);
  }
  return Object.fromEntries(kinds.map((kind) => [kind, intervals[kind] ?? intervals["*"] ?? 0]));
}

/** Shorter leases run out while a busy machine draws breath. */
function parseLease(name: string, seconds: number): number {
  if (seconds < 5) throw new Fault(platformFaults.bad_configuration, `${name} is ${seconds}; a lease lasts at least 5 seconds`);
  return seconds;
}

function parseWhole(name: string, text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1 || number > 1_000_000)
    throw new Fault(platformFaults.bad_configuration, `${name} is "${text}", not a whole number above 0`);
  return number;
}
