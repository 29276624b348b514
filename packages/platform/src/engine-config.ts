import type { Environment } from "./config.ts";
import { Fault } from "./fault.ts";
import { platformFaults } from "./faults.ts";
import { resyncKinds } from "./resync-kinds.ts";

/**
 * Roles of a control plane process. Each can run in a separate process: the API, the endpoint for agents, the reconciler, and an embedded
 * agent.
 */
export const serverRoles = ["api", "tasks", "reconciler", "agent"] as const;
export type ServerRole = (typeof serverRoles)[number];

/** Settings for tasks, leases and the reconciler. */
export interface EngineConfig {
  readonly roles: ReadonlySet<ServerRole>;
  readonly leaseSeconds: number;
  /** How long the server waits after a lease expires before it assigns the task to another agent. */
  readonly leaseGraceSeconds: number;
  readonly taskAttempts: number;
  readonly projectQuota: number | undefined;
  /** Maximum duration of one attempt in seconds, per lane and per task type. */
  readonly taskLimits: {
    readonly byLane: { readonly long: number; readonly short: number };
    readonly byType: Readonly<Record<string, number>>;
  };
  /** A task that has run this long may be interrupted if its project uses more than its fair share. Undefined means never. */
  readonly taskTurnSeconds: number | undefined;
  /** Maximum number of concurrent tasks per account: the configured limit on concurrent cloud calls divided by `parallelism`. */
  readonly accountBudget: number | undefined;
  /** Maximum number of concurrent cloud calls per run. */
  readonly parallelism: number;
  /** Number of batches that the reconciler handles concurrently. Each batch contains several entities. */
  readonly workers: number;
  /** Resync intervals, keyed by kind. The `*` key applies to all other kinds. */
  readonly resyncMs: Readonly<Record<string, number>>;
  /** Intervals between an entity's drift checks, keyed by kind. 0 turns the checks off. */
  readonly driftMs: Readonly<Record<string, number>>;
  readonly demoHandlers: boolean;
  /** Folder with policies in addition to the built-in ones. */
  readonly policies: string | undefined;
  /**
   * Regions, zones, machine types and Kubernetes versions, in the form CLOUD:NAME, that users may choose although the built-in catalogue
   * does not contain them.
   */
  readonly catalogue: {
    readonly regions: ReadonlySet<string>;
    readonly zones: ReadonlySet<string>;
    readonly machineTypes: ReadonlySet<string>;
    readonly kubernetesVersions: ReadonlySet<string>;
  };
}

/** Reads and validates the engine's settings. Throws a fault that names the first invalid variable. */
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
    projectQuota: whole("CLOUDWRIGHT_PROJECT_QUOTA", 1000),
    taskLimits: parseTaskLimits("CLOUDWRIGHT_TASK_LIMITS", environment["CLOUDWRIGHT_TASK_LIMITS"] || ""),
    taskTurnSeconds:
      environment["CLOUDWRIGHT_TASK_TURN"] === "off"
        ? undefined
        : parseSeconds("CLOUDWRIGHT_TASK_TURN", environment["CLOUDWRIGHT_TASK_TURN"] || "20m"),
    accountBudget: calls === undefined ? undefined : Math.max(1, Math.floor(calls / parallelism)),
    parallelism,
    workers: whole("CLOUDWRIGHT_RECONCILE_WORKERS", 2),
    resyncMs: parseIntervals("CLOUDWRIGHT_RESYNC", environment["CLOUDWRIGHT_RESYNC"] || "30m"),
    driftMs: parseIntervals("CLOUDWRIGHT_DRIFT_CHECK", environment["CLOUDWRIGHT_DRIFT_CHECK"] || "12h", driftDefaultMs),
    demoHandlers: environment["CLOUDWRIGHT_DEMO_HANDLERS"] === "1",
    policies: environment["CLOUDWRIGHT_POLICIES"] || undefined,
    catalogue: {
      regions: parseNames("CLOUDWRIGHT_EXTRA_REGIONS", environment["CLOUDWRIGHT_EXTRA_REGIONS"]),
      zones: parseNames("CLOUDWRIGHT_EXTRA_ZONES", environment["CLOUDWRIGHT_EXTRA_ZONES"]),
      machineTypes: parseNames("CLOUDWRIGHT_EXTRA_MACHINE_TYPES", environment["CLOUDWRIGHT_EXTRA_MACHINE_TYPES"]),
      kubernetesVersions: parseNames(
        "CLOUDWRIGHT_EXTRA_KUBERNETES_VERSIONS",
        environment["CLOUDWRIGHT_EXTRA_KUBERNETES_VERSIONS"],
      ),
    },
  };
}

/** Parses a comma-separated list of names in the form CLOUD:NAME. */
function parseNames(name: string, text = ""): ReadonlySet<string> {
  const words = text.split(",").flatMap((word) => word.trim() || []);
  const wrong = words.find((word) => !/^[a-z]+:[\w.-]+$/.test(word));
  if (wrong === undefined) return new Set(words);
  throw new Fault(platformFaults.bad_configuration, `${name}: "${wrong}" has no cloud; write it as CLOUD:${wrong}`);
}

function parseRoles(text: string): ReadonlySet<ServerRole> {
  const roles = text.split(",").map((word) => {
    const role = serverRoles.find((known) => known === word.trim());
    if (role === undefined) {
      const message = `unknown role "${word.trim()}" in --roles or CLOUDWRIGHT_ROLES; use any of ${serverRoles.join(", ")}`;
      throw new Fault(platformFaults.bad_configuration, message);
    }
    return role;
  });
  return new Set(roles);
}

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

const driftDefaultMs = 12 * 3_600_000;

/** Parses `30m` for all kinds, or `Cluster=10m,Network=1h,*=2h`. `off` means 0. Kinds that the text does not cover get `defaultMs`. */
function parseIntervals(name: string, text: string, defaultMs = 0): Readonly<Record<string, number>> {
  const intervals: Record<string, number> = {};
  for (const part of text.split(",")) {
    const [given, value] = part.includes("=") ? part.split("=").map((word) => word.trim()) : ["*", part.trim()];
    const known = given === "*" ? "*" : resyncKinds.find((kind) => kind.toLowerCase() === given?.toLowerCase());
    const match = /^(\d{1,9})(ms|s|m|h|d)$/.exec(value ?? "");
    if (known === undefined || (match === null && value !== "off")) {
      const message = `${name}: "${part}" is not an interval; use 30m, off, or Cluster=10m (kinds: ${resyncKinds.join(", ")})`;
      throw new Fault(platformFaults.bad_configuration, message);
    }
    intervals[known] = match === null ? 0 : Number(match[1]) * (unitMs[match[2] ?? ""] ?? 0);
  }
  return Object.fromEntries(resyncKinds.map((kind) => [kind, intervals[kind] ?? intervals["*"] ?? defaultMs]));
}

/** Generous defaults, in seconds: even the slowest cluster is built in less than four hours, and short tasks take only seconds. */
const defaultTaskLimits = { long: 4 * 3600, short: 30 * 60 };

/** Parses durations for lanes and task types, such as `long=6h,cluster.apply=8h`. */
function parseTaskLimits(name: string, text: string): EngineConfig["taskLimits"] {
  const byLane = { ...defaultTaskLimits };
  const byType: Record<string, number> = {};
  for (const part of text.split(",").filter((each) => each.trim() !== "")) {
    const [key = "", value = ""] = part.split("=").map((word) => word.trim());
    if (key === "long" || key === "short") byLane[key] = parseSeconds(name, value);
    else if (/^[a-z][-a-z0-9]*\.[a-z][-a-z0-9]*$/.test(key)) byType[key] = parseSeconds(name, value);
    else {
      const message = `${name}: "${part}" is not a limit; use long=6h, short=1h or a task type such as cluster.apply=8h`;
      throw new Fault(platformFaults.bad_configuration, message);
    }
  }
  return { byLane, byType };
}

function parseSeconds(name: string, text: string): number {
  const match = /^([1-9]\d{0,5})(s|m|h|d)$/.exec(text);
  if (match === null)
    throw new Fault(platformFaults.bad_configuration, `${name}: "${text}" is not a duration; use 90s, 20m, 4h or 2d`);
  return (Number(match[1]) * (unitMs[match[2] ?? ""] ?? 0)) / 1000;
}

/** Rejects leases shorter than 5 seconds, because they could expire on a machine that is merely busy. */
function parseLease(name: string, seconds: number): number {
  if (seconds < 5) throw new Fault(platformFaults.bad_configuration, `${name} is ${seconds}; use at least 5 seconds`);
  return seconds;
}

function parseWhole(name: string, text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1 || number > 1_000_000)
    throw new Fault(platformFaults.bad_configuration, `${name} is "${text}"; use a positive integer`);
  return number;
}
