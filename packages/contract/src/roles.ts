/** The roles from least to most. `agent` is separate: it neither includes another role nor is included in one. */
export const roles = ["viewer", "editor", "admin", "owner"] as const;
export type Role = (typeof roles)[number] | "agent";

/** Returns whether a caller with the role `held` may do what requires the role `required`. */
export function roleReaches(held: Role, required: Role): boolean {
  if (held === "agent" || required === "agent") return held === required;
  return roles.indexOf(held) >= roles.indexOf(required);
}
