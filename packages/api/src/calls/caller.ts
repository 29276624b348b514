import { roleReaches, systemProject, type Method, type Role } from "@cloudwright/contract";
import { Fault } from "@cloudwright/platform";
import type { CallerRow } from "@cloudwright/store";
import { apiFaults } from "../faults.ts";

export interface Grant {
  readonly project: string;
  /** Empty for the whole project. */
  readonly environment: string;
  readonly role: Role;
}

/** The limits of the credential itself, which everything made with it inherits. */
export interface Cap {
  readonly project: string;
  readonly role: Role | "";
}

/** Who is calling, how they proved it and which roles they hold after the credential's own limits. */
export interface Caller {
  readonly userUid: string;
  readonly user: string;
  readonly credential: "key" | "session" | "token" | "agent" | "platform";
  /** Shown in the audit log: key prefix or token id. */
  readonly credentialId: string;
  readonly keyUid: string | undefined;
  readonly cap: Cap;
  readonly grants: readonly Grant[];
  /** The agent that calls; it holds no roles, and only agents are given work. */
  readonly agent?: CallingAgent;
  /** Whether the credential is still good and stands for the same roles; asked now and then of those who stay. */
  readonly isCurrent?: () => Promise<boolean>;
  /** When the API key behind the credential runs out; what is made with it does not outlive it. */
  readonly keyExpiresAtMs?: number;
  /** When the credential runs out; a stream opened with it ends then. */
  readonly expiresAtMs?: number;
}

/** An agent as it is at the time of the call. */
export interface CallingAgent {
  readonly uid: string;
  readonly name: string;
  /** Those of `system` serve every project, others only their own. */
  readonly project: string;
  readonly draining: boolean;
}

/** One call: who, from where, under which id. */
export interface Call {
  readonly caller: Caller | undefined;
  readonly source: string;
  readonly requestId: string;
  /** Aborted when the caller hangs up; for operations that wait. */
  readonly signal?: AbortSignal;
}

/** The part of a project that a role reaches: all of it, or some environments. */
export type Reach = { readonly all: true } | { readonly all: false; readonly environments: readonly string[] };

export function createCaller(
  row: CallerRow,
  credential: Caller["credential"],
  credentialId: string,
  cap: Cap,
  expiresAtMs = row.expires_at?.getTime(),
): Caller {
  return {
    userUid: row.user_uid,
    user: row.user_name,
    credential,
    credentialId,
    keyUid: row.key_uid ?? undefined,
    cap,
    ...(expiresAtMs === undefined ? {} : { expiresAtMs }),
    ...(row.key_expires_at === null ? {} : { keyExpiresAtMs: row.key_expires_at.getTime() }),
    grants: limitGrants(row.grants as readonly Grant[], cap),
  };
}

/** The caller behind an agent's own token. */
export function createAgentCaller(
  agent: CallingAgent & { readonly jti?: string; readonly expiresAt?: number },
): Caller & { readonly agent: CallingAgent } {
  const { uid, name, project, draining, expiresAt } = agent;
  return {
    userUid: uid,
    user: `agent:${name}`,
    credential: "agent",
    credentialId: uid,
    keyUid: undefined,
    cap: { project: "", role: "" },
    grants: [],
    agent: { uid, name, project, draining },
    ...(expiresAt === undefined ? {} : { expiresAtMs: expiresAt }),
  };
}

function limitGrants(grants: readonly Grant[], cap: Cap): readonly Grant[] {
  return cap.project === "" && cap.role === "" ? grants : grants.flatMap((grant) => limitGrant(grant, cap));
}

function limitGrant(grant: Grant, cap: Cap): Grant[] {
  const role = limitRole(grant.role, cap.role);
  if (role === undefined) return [];
  if (cap.project === "") return [{ ...grant, role }];
  if (grant.project !== cap.project && grant.project !== systemProject) return [];
  return [{ ...grant, project: cap.project, role }];
}

/** What a limit leaves of a granted role; nothing where it would give what was never granted, such as `owner` to an agent. */
function limitRole(granted: Role, limit: Role | ""): Role | undefined {
  if (limit === "" || roleReaches(limit, granted)) return granted;
  // Owners give roles, so a key of theirs may act as an agent and as nothing else.
  if (limit === "agent") return granted === "owner" ? "agent" : undefined;
  return granted === "agent" ? undefined : limit;
}

/** Whether one credential's limits lie within another's: what a capped key may make, rotate or delete. */
export function capCovers(outer: Cap, inner: Cap): boolean {
  if (outer.project !== "" && outer.project !== inner.project) return false;
  if (outer.role === "") return true;
  return inner.role !== "" && roleReaches(outer.role, inner.role);
}

/** Where in a project the caller holds at least this role; undefined when nowhere. */
export function reachOf(caller: Caller, project: string, asked: Role): Reach | undefined {
  const fitting = grantsIn(caller, project).filter((grant) => roleReaches(grant.role, asked));
  if (fitting.length === 0) return undefined;
  if (fitting.some((grant) => grant.environment === "")) return { all: true };
  return { all: false, environments: [...new Set(fitting.map((grant) => grant.environment))] };
}

function grantsIn(caller: Caller, project: string): Grant[] {
  // What reaches every project reaches it whole: environments of one name are different things in different projects.
  const reaches = (grant: Grant): boolean => grant.project === systemProject && grant.environment === "";
  return caller.grants.filter((grant) => grant.project === project || reaches(grant));
}

/** Whether the caller holds the role platform-wide. */
export function reachesPlatform(caller: Caller, asked: Role): boolean {
  return caller.grants.some(
    (grant) => grant.project === systemProject && grant.environment === "" && roleReaches(grant.role, asked),
  );
}

export function includes(reach: Reach, environment: string): boolean {
  return reach.all || reach.environments.includes(environment);
}

/** The caller, or a fault when there is none. */
export function requireCaller(call: Call): Caller {
  if (call.caller === undefined) throw new Fault(apiFaults.unauthenticated, "this operation needs a credential");
  return call.caller;
}

/** The agent that calls, or a fault when it is anybody else. */
export function requireAgent(call: Call, method: Method): CallingAgent {
  const { agent } = requireCaller(call);
  if (agent === undefined) throw new Fault(apiFaults.denied, `${method.verb} ${method.kind} is for agents only`);
  return agent;
}

/**
 * Decides whether the call may happen in this project at all, and where in it. A caller without any role there gets the
 * same answer as for a project that does not exist.
 */
export function authorise(call: Call, method: Method, project: string): Reach {
  if (method.role === "public") return { all: true };
  const caller = requireCaller(call);
  if (method.role === "authenticated") return { all: true };
  if (method.platform) {
    if (!reachesPlatform(caller, method.role)) throw denied(method, "platform-wide");
    return { all: true };
  }
  if (grantsIn(caller, project).length === 0) throw hide(new Fault(apiFaults.not_found, `Project "${project}" not found`));
  const reach = reachOf(caller, project, method.role);
  if (reach === undefined) throw denied(method, `in project "${project}"`);
  return reach;
}

const hidden = new WeakSet<Fault>();

/** Marks a "not found" that stands for "denied". */
export function hide(fault: Fault): Fault {
  hidden.add(fault);
  return fault;
}

/** Whether a "not found" stands for "denied"; the audit log says so, the caller is not told. */
export function isHiddenDenial(fault: Fault): boolean {
  return hidden.has(fault);
}

/** The fault for a known caller who lacks the role. */
export function denied(method: Method, where: string): Fault {
  return new Fault(apiFaults.denied, `${method.verb} ${method.kind} requires the role ${method.role} ${where}`);
}
