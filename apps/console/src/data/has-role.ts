import { roles } from "@cloudwright/contract/kinds";
import { useQuery } from "@tanstack/react-query";
import { useProject } from "./project.ts";
import { whoAmIQuery } from "./queries.ts";

/** Returns whether the user has at least this role in an environment or in the whole project. Returns false while roles are loading. */
export function useHasRole(role: (typeof roles)[number]): (environment: string) => boolean {
  const project = useProject();
  const { data } = useQuery(whoAmIQuery);
  const own = (data?.grants ?? []).filter((grant) => grant.project === project || grant.project === "system");
  const sufficient = own.filter((grant) => (roles as readonly string[]).indexOf(grant.role ?? "") >= roles.indexOf(role));
  return (environment) => sufficient.some((grant) => !grant.environment || grant.environment === environment);
}
