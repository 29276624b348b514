import { queryOptions, useQuery } from "@tanstack/react-query";
import { client } from "./client.ts";
import { useProject } from "./project.ts";

type Permissions = Awaited<ReturnType<typeof client.permissions>>;

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
    return permission?.allowed === true || (environment !== "" && permission?.environments?.includes(environment) === true);
  };
}

/** What the caller may do in this project. */
export function useCan(): Can {
  return readPermissions(useQuery(permissionsQuery(useProject())).data);
}
