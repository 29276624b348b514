/** Who asks. */
export interface User {
  readonly name: string;
  readonly groups: readonly string[];
}

/** Members may do everything, whatever the roles say: a cluster cannot be locked against its owner. */
export const mastersGroup = "system:masters";

/** The group of the viewer that every cluster has. */
export const viewersGroup = "cloudwright:viewers";

/** The user of a service account. */
export function serviceAccountUser(namespace: string, name: string): User {
  return {
    name: `system:serviceaccount:${namespace}:${name}`,
    groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"],
  };
}
