import { queryOptions, useQuery } from "@tanstack/react-query";
import { client } from "./client.ts";
import { useProject } from "./project.ts";

type Permissions = Awaited<ReturnType<typeof client.permissions>>;

/** Passed instead of an environment to ask whether the user has a permission in at least one environment. */
export const anywhere = "*";

/**
 * Returns whether the user has a permission. Returns false while permissions are loading, so that the page never shows a button that would
 * fail.
 */
export type Can = (kind: string, verb: string, environment?: string) => boolean;

export const permissionsQuery = (project: string) =>
  queryOptions({
    queryKey: ["permissions", project],
    queryFn: ({ signal }) => client.permissions(project, { signal }),
    staleTime: 5 * 60_000,
  });

/** Creates the permission check from the API response. */
export function readPermissions(permissions: Permissions | undefined): Can {
  return (kind, verb, environment = "") => {
    const permission = permissions?.items?.find((item) => item.kind === kind && item.verb === verb);
    if (permission?.allowed === true) return true;
    const environments = permission?.environments ?? [];
    return environment === anywhere ? environments.length > 0 : environments.includes(environment);
  };
}

/** Returns the permission check for the current user and project. */
export function useCan(): Can {
  return readPermissions(useQuery(permissionsQuery(useProject())).data);
}
