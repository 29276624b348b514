import { roleReaches, systemProject, type Method, type Role } from "@cloudwright/contract";
import { Fault } from "@cloudwright/platform";
import type { AgentGrants, CallerRow } from "@cloudwright/store";
import { apiFaults } from "../faults.ts";

export interface Grant {
  readonly project: string;
  /** An empty string means that the grant covers the whole project. */
  readonly environment: string;
  readonly role: Role;
}

/**
 * The project and the role that a credential is restricted to. Credentials created with a restricted credential inherit the restriction.
 */
export interface Cap {
  readonly project: string;
  readonly role: Role | "";
}

/** An authenticated caller. `grants` already reflect the limits of the credential. */
export interface Caller {
  readonly userUid: string;
  readonly user: string;
  readonly credential: "key" | "session" | "token" | "agent" | "platform";
  /** The key prefix or token id, as shown in the audit log. */
  readonly credentialId: string;
  readonly keyUid: string | undefined;
  /** The API key behind the credential. Credentials derived from the key become invalid when it is revoked or rotated. */
  readonly key?: { readonly uid: string; readonly prefix: string };
  readonly cap: Cap;
  readonly grants: readonly Grant[];
  /** Set if the caller is an agent. Agents have no grants, and only agents can lease tasks. */
  readonly agent?: CallingAgent;
  /** Returns whether the credential is still valid and its holder still has all grants. Long-lived streams check this regularly. */
  readonly isCurrent?: () => Promise<boolean>;
  /** Expiry of the API key behind the credential. Credentials created with the key do not outlive it. */
  readonly keyExpiresAtMs?: number;
  /** Expiry of the credential. Streams opened with it end at that time. */
  readonly expiresAtMs?: number;
}

export interface CallingAgent {
  readonly uid: string;
  readonly name: string;
  /** Agents in the `system` project serve every project. Other agents serve only their own project. */
  readonly project: string;
  readonly draining: boolean;
  readonly grants: AgentGrants;
}

export interface Call {
  readonly caller: Caller | undefined;
  readonly source: string;
  readonly requestId: string;
  /** Aborted when the caller disconnects, so that long-polling methods stop waiting. */
  readonly signal?: AbortSignal;
}

/** The part of a project that a role covers: the whole project or a list of environments. */
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
    ...(row.key_uid === null ? {} : { key: { uid: row.key_uid, prefix: row.prefix } }),
    cap,
    ...(expiresAtMs === undefined ? {} : { expiresAtMs }),
    ...(row.key_expires_at === null ? {} : { keyExpiresAtMs: row.key_expires_at.getTime() }),
    grants: limitGrants(row.grants as readonly Grant[], cap),
  };
}

export function createAgentCaller(
  agent: CallingAgent & { readonly jti?: string; readonly expiresAt?: number },
): Caller & { readonly agent: CallingAgent } {
  const { uid, name, project, draining, grants, expiresAt } = agent;
  return {
    userUid: uid,
    user: `agent:${name}`,
    credential: "agent",
    credentialId: uid,
    keyUid: undefined,
    cap: { project: "", role: "" },
    grants: [],
    agent: { uid, name, project, draining, grants },
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
  return coversProject(grant, cap.project) ? [{ ...grant, project: cap.project, role }] : [];
}

/**
 * Applies a credential's role limit to a granted role. Returns undefined if the limit would add rights, for example if an editor's key is
 * limited to `agent`.
 */
function limitRole(granted: Role, limit: Role | ""): Role | undefined {
  if (limit === "" || roleReaches(limit, granted)) return granted;
  // Owners can grant any role. An owner's key that is limited to `agent` has only the agent role.
  if (limit === "agent") return granted === "owner" ? "agent" : undefined;
  return granted === "agent" ? undefined : limit;
}

/** Returns whether the inner limits are at least as strict as the outer ones. A limited key can only manage keys within its own limits. */
export function capCovers(outer: Cap, inner: Cap): boolean {
  if (outer.project !== "" && outer.project !== inner.project) return false;
  if (outer.role === "") return true;
  return inner.role !== "" && roleReaches(outer.role, inner.role);
}

/** Returns where in a project the caller holds at least the given role. Returns undefined if the caller does not hold it anywhere. */
export function reachOf(caller: Caller, project: string, asked: Role): Reach | undefined {
  const fitting = grantsIn(caller, project).filter((grant) => roleReaches(grant.role, asked));
  if (fitting.length === 0) return undefined;
  if (fitting.some((grant) => grant.environment === "")) return { all: true };
  return { all: false, environments: [...new Set(fitting.map((grant) => grant.environment))] };
}

/** Returns whether the caller holds any role in the project. */
export function hasRoleIn(caller: Caller, project: string): boolean {
  return grantsIn(caller, project).length > 0;
}

function grantsIn(caller: Caller, project: string): Grant[] {
  return caller.grants.filter((grant) => coversProject(grant, project));
}

/**
 * Returns whether a grant applies to a project. Grants for the whole system project apply to all projects. Grants for one of its environments
 * do not, because other projects may have an environment of the same name.
 */
function coversProject(grant: Grant, project: string): boolean {
  return grant.project === project || (grant.project === systemProject && grant.environment === "");
}

/** Returns whether the caller holds at least this role on the whole platform. */
export function reachesPlatform(caller: Caller, asked: Role): boolean {
  return caller.grants.some(
    (grant) => grant.project === systemProject && grant.environment === "" && roleReaches(grant.role, asked),
  );
}

export function includes(reach: Reach, environment: string): boolean {
  return reach.all || reach.environments.includes(environment);
}

export function requireCaller(call: Call): Caller {
  if (call.caller === undefined) throw new Fault(apiFaults.unauthenticated, "this method requires a credential");
  return call.caller;
}

export function requireAgent(call: Call, method: Method): CallingAgent {
  const { agent } = requireCaller(call);
  if (agent === undefined)
    throw new Fault(apiFaults.denied, `the action "${method.verb} ${method.kind}" is available only to agents`);
  return agent;
}

/**
 * Returns the part of the project in which the caller may use the method, or throws if there is none. A caller without any role in the
 * project gets the same fault as for a project that does not exist.
 */
export function authorise(call: Call, method: Method, project: string): Reach {
  if (method.role === "public") return { all: true };
  const caller = requireCaller(call);
  if (method.role === "authenticated") return { all: true };
  if (method.platform) {
    if (!reachesPlatform(caller, method.role)) throw denied(method, "on the whole platform");
    return { all: true };
  }
  if (!hasRoleIn(caller, project)) throw hide(new Fault(apiFaults.not_found, `Project "${project}" not found`));
  const reach = reachOf(caller, project, method.role);
  if (reach === undefined) throw denied(method, `in project "${project}"`);
  return reach;
}

const hidden = new WeakSet<Fault>();

/** Marks a "not found" fault as a hidden denial. The caller must not learn that the entity exists. */
export function hide(fault: Fault): Fault {
  hidden.add(fault);
  return fault;
}

/** Returns whether a "not found" fault is a hidden denial. The audit log records the denial. */
export function isHiddenDenial(fault: Fault): boolean {
  return hidden.has(fault);
}

export function denied(method: Method, where: string): Fault {
  return new Fault(apiFaults.denied, `the action "${method.verb} ${method.kind}" requires the ${method.role} role ${where}`);
}
