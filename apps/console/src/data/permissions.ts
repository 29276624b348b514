import { queryOptions, useQuery } from "@tanstack/react-query";
import { client } from "./client.ts";
import { useProject } from "./project.ts";

type Permissions = Awaited<ReturnType<typeof client.permissions>>;

/** Asks about all environments at once: whether there is one in which the caller may. */
export const anywhere = "*";

/** Asks whether the caller may do something; false until it is known, so that no button is shown that fails. */
export type Can = (kind: string, verb: string, environment?: string) => boolean;

/** What the caller may do in a project, as the API itself says. */
export const permissionsQuery = (project: string) =>
  queryOptions({
    queryKey: ["permissions", project],
    queryFn: ({ signal }) => client.permissions(project, { signal }),
    staleTime: 5 * 60_000,
  });

/** Reads what the API says of a caller's permissions. */
export function readPermissions(permissions: Permissions | undefined): Can {
  return (kind, verb, environment = "") => {
    const permission = permissions?.items?.find((item) => item.kind === kind && item.verb === verb);
    if (permission?.allowed === true) return true;
    const environments = permission?.environments ?? [];
    return environment === anywhere ? environments.length > 0 : environments.includes(environment);
  };
}

/** What the caller may do in this project. */
export function useCan(): Can {
  return readPermissions(useQuery(permissionsQuery(useProject())).data);
}
