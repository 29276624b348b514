import { renderCanonicalJson } from "./canonical-json.ts";

/** Labels that an agent must have to get a task, such as a cloud, an account or a region. */
export type Placement = Readonly<Record<string, string>>;

/** An agent's labels. Each has one or more values. `*` matches any value. */
export type AgentLabels = Readonly<Record<string, string | readonly string[]>>;

/** Renders a placement as canonical JSON, so that the order of its labels does not matter. */
export function renderPlacement(placement: Placement): string {
  return renderCanonicalJson(placement);
}

/** Parses the result of `renderPlacement`. */
export function parsePlacement(text: string): Placement {
  return JSON.parse(text) as Placement;
}

/** Parses an agent's labels. Multiple values are separated by commas. */
export function parseAgentLabels(labels: Readonly<Record<string, string>>): AgentLabels {
  return Object.fromEntries(
    Object.entries(labels).map(([name, text]) => {
      const values = text.split(",").map((value) => value.trim());
      return [name, values.length === 1 ? (values[0] as string) : values];
    }),
  );
}

/**
 * Placement entry that requires a grant for the agent's cloud identity. Its value is `project/account-uid`. Agents cannot satisfy it with a
 * label, because they choose their labels themselves.
 */
export const identityEntry = "identity";

/** The projects and accounts that the control plane allows to use an agent's cloud identity. */
export interface IdentityGrants {
  /** Projects whose accounts may use the identity. `*` matches any project. */
  readonly projects: readonly string[];
  /** Uids of individual accounts that may use the identity. */
  readonly accounts: readonly string[];
}

/** Placement entry with the name of the external state backend that a task needs. Agents cannot satisfy or avoid it with a label. */
export const backendEntry = "backend";

/** What the control plane allows an agent to use, regardless of its labels. */
export interface AgentPermissions {
  /** Who may use the agent's cloud identity. If undefined, nobody may use it. */
  readonly identity?: IdentityGrants;
  /** State backends whose secrets the agent must not receive. None if undefined. */
  readonly withheldBackends?: readonly string[];
}

/** Returns the placement entries that an agent does not satisfy: labels it lacks, and entries that its permissions do not cover. */
export function findMissingLabels(placement: Placement, labels: AgentLabels, permissions: AgentPermissions = {}): Placement {
  const { identity, withheldBackends = [] } = permissions;
  return Object.fromEntries(
    Object.entries(placement).filter(([name, value]) => {
      if (name === identityEntry) return !isIdentityGranted(identity, value);
      if (name === backendEntry) return withheldBackends.includes(value);
      return !hasLabel(labels, name, value);
    }),
  );
}

function isIdentityGranted(identity: IdentityGrants | undefined, value: string): boolean {
  if (identity === undefined) return false;
  const [project = "", account = ""] = value.split("/");
  return grantsIdentity(identity, { project, account });
}

/** Returns whether a project's account may use an agent's identity. */
export function grantsIdentity(
  { projects, accounts }: IdentityGrants,
  { project, account }: { readonly project: string; readonly account: string },
): boolean {
  return projects.includes(project) || projects.includes("*") || accounts.includes(account);
}

function hasLabel(labels: AgentLabels, name: string, value: string): boolean {
  const own = Object.hasOwn(labels, name) ? labels[name] : undefined;
  if (own === undefined) return false;
  return typeof own === "string" ? own === value || own === "*" : own.includes(value) || own.includes("*");
}
