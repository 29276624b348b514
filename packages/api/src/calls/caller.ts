import { roleReaches, systemProject, type Method, type Role } from "@cloudwright/contract";
import { Fault } from "@cloudwright/platform";
import type { CallerRow } from "@cloudwright/store";
import { apiFaults } from "../faults.ts";

export interface Grant {
  readonly project: string;
  /** Empty: the grant covers the whole project. */
  readonly environment: string;
  readonly role: Role;
}

/** The limits of a credential. Every credential created with it inherits them. */
export interface Cap {
  readonly project: string;
  readonly role: Role | "";
}

/** The authenticated caller: how they proved their identity and which roles remain after the credential's limits. */
export interface Caller {
  readonly userUid: string;
  readonly user: string;
  readonly credential: "key" | "session" | "token" | "agent" | "platform";
  /** The key prefix or token id that the audit log shows. */
  readonly credentialId: string;
  readonly keyUid: string | undefined;
  readonly cap: Cap;
  readonly grants: readonly Grant[];
  /** The calling agent. An agent holds no roles, and only agents receive tasks. */
  readonly agent?: CallingAgent;
  /** Returns whether the credential is still valid and grants the same roles. Long-lived streams check this regularly. */
  readonly isCurrent?: () => Promise<boolean>;
  /** When the API key behind the credential expires. Credentials created with the key do not outlive it. */
  readonly keyExpiresAtMs?: number;
  /** When the credential expires. A stream that was opened with it ends at that time. */
  readonly expiresAtMs?: number;
}

/** An agent's state at the time of the call. */
export interface CallingAgent {
  readonly uid: string;
  readonly name: string;
  /** Agents of the project `system` serve every project. Others serve only their own. */
  readonly project: string;
  readonly draining: boolean;
}

/** One call with its caller, its source address and its request id. */
export interface Call {
  readonly caller: Caller | undefined;
  readonly source: string;
  readonly requestId: string;
  /** Aborted when the caller disconnects. Methods that wait listen to it. */
  readonly signal?: AbortSignal;
}

/** The part of a project that a role covers: all of it, or some environments. */
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

/** Creates the caller for an agent that authenticated with its own token. */
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

/**
 * Returns the role that remains of a granted role under a limit. Undefined if the limit would add rights, such as `agent` to an
 * editor.
 */
function limitRole(granted: Role, limit: Role | ""): Role | undefined {
  if (limit === "" || roleReaches(limit, granted)) return granted;
  // Owners can grant any role. A key of theirs that is limited to `agent` acts as an agent and nothing else.
  if (limit === "agent") return granted === "owner" ? "agent" : undefined;
  return granted === "agent" ? undefined : limit;
}

/** Returns whether one credential's limits are within another's. A limited key may only create, rotate or delete such keys. */
export function capCovers(outer: Cap, inner: Cap): boolean {
  if (outer.project !== "" && outer.project !== inner.project) return false;
  if (outer.role === "") return true;
  return inner.role !== "" && roleReaches(outer.role, inner.role);
}

/** Returns where in a project the caller holds at least this role. Undefined if nowhere. */
export function reachOf(caller: Caller, project: string, asked: Role): Reach | undefined {
  const fitting = grantsIn(caller, project).filter((grant) => roleReaches(grant.role, asked));
  if (fitting.length === 0) return undefined;
  if (fitting.some((grant) => grant.environment === "")) return { all: true };
  return { all: false, environments: [...new Set(fitting.map((grant) => grant.environment))] };
}

function grantsIn(caller: Caller, project: string): Grant[] {
  // A grant in the system project counts only without an environment, because environments of different projects can share a
  // name.
  const reaches = (grant: Grant): boolean => grant.project === systemProject && grant.environment === "";
  return caller.grants.filter((grant) => grant.project === project || reaches(grant));
}

/** Returns whether the caller holds the role on the whole platform. */
export function reachesPlatform(caller: Caller, asked: Role): boolean {
  return caller.grants.some(
    (grant) => grant.project === systemProject && grant.environment === "" && roleReaches(grant.role, asked),
  );
}

export function includes(reach: Reach, environment: string): boolean {
  return reach.all || reach.environments.includes(environment);
}

/** Returns the caller. Throws if the call carries no credential. */
export function requireCaller(call: Call): Caller {
  if (call.caller === undefined) throw new Fault(apiFaults.unauthenticated, "this method requires a credential");
  return call.caller;
}

/** Returns the calling agent. Throws if the caller is not an agent. */
export function requireAgent(call: Call, method: Method): CallingAgent {
  const { agent } = requireCaller(call);
  if (agent === undefined) throw new Fault(apiFaults.denied, `${method.verb} ${method.kind} is available to agents only`);
  return agent;
}

/**
 * Returns the part of the project in which the caller may use the method. Throws if there is none. A caller without any role in
 * the project gets the same answer as for a project that does not exist.
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

/** Marks a "not found" fault that hides a denial. */
export function hide(fault: Fault): Fault {
  hidden.add(fault);
  return fault;
}

/** Returns whether a "not found" fault hides a denial. The audit log shows the denial; the caller must not learn of it. */
export function isHiddenDenial(fault: Fault): boolean {
  return hidden.has(fault);
}

/** Creates the fault for an authenticated caller who lacks the required role. */
export function denied(method: Method, where: string): Fault {
  return new Fault(apiFaults.denied, `${method.verb} ${method.kind} requires the ${method.role} role ${where}`);
}
