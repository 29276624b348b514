import { useQueries, useQuery } from "@tanstack/react-query";
import { accountsQuery, projectsQuery } from "../../data/queries.ts";

/** Names are looked up in at most this many projects, with one request each. Other accounts are shown by their uid. */
const mostProjects = 25;

/** Returns a function that describes an account by project and name. Unknown accounts are described by their uid. */
export function useAccountNames(): (uid: string) => string {
  const { data: projects = [] } = useQuery(projectsQuery);
  const lists = useQueries({ queries: projects.slice(0, mostProjects).map(({ metadata }) => accountsQuery(metadata.name)) });
  const names = new Map(
    lists.flatMap(({ data = [] }) => data.map(({ metadata }) => [metadata.uid, `${metadata.project ?? ""}/${metadata.name}`])),
  );
  return (uid) => names.get(uid) ?? uid;
}
