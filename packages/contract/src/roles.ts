/** Roles, lowest first. The separate `agent` role neither includes these roles nor is included in them. */
export const roles = ["viewer", "editor", "admin", "owner"] as const;
export type Role = (typeof roles)[number] | "agent";

/** Returns whether a caller with the `held` role has the permissions of the `required` role. */
export function roleReaches(held: Role, required: Role): boolean {
  if (held === "agent" || required === "agent") return held === required;
  return roles.indexOf(held) >= roles.indexOf(required);
}
