import { useQuery } from "@tanstack/react-query";
import { client } from "./client.ts";
import { useProject } from "./project.ts";

/** Asks whether the caller may do something; false until it is known, so that no button is shown that fails. */
export type Can = (kind: string, verb: string, environment?: string) => boolean;

/** What the caller may do in this project, as the API itself says. */
export function useCan(): Can {
  const project = useProject();
  const { data } = useQuery({
    queryKey: ["permissions", project],
    queryFn: ({ signal }) => client.permissions(project, { signal }),
    staleTime: 5 * 60_000,
  });
  return (kind, verb, environment = "") => {
    const permission = data?.items?.find((item) => item.kind === kind && item.verb === verb);
    return permission?.allowed === true || (environment !== "" && permission?.environments?.includes(environment) === true);
  };
}
