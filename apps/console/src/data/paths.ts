import { getKind } from "@cloudwright/contract/kinds";

/** Returns the path of a page of a project: `pathOf("default", "runs")`. */
export function pathOf(project: string, ...rest: readonly string[]): string {
  return ["/p", project, ...rest].map((part, index) => (index === 0 ? part : encodeURIComponent(part))).join("/");
}

/** Returns the path of an entity's page. Node pools are below their cluster. */
export function entityPath(project: string, kind: string, name: string, parent = ""): string {
  return kind === "NodePool" ? pathOf(project, "c", parent, name) : pathOf(project, "k", getKind(kind).collection, name);
}

/** Returns the page to open after signing in. Targets outside this console are replaced by its start page. */
export function readTarget(to: string | undefined): string {
  const here = "http://console";
  if (to === undefined || !URL.canParse(to, here)) return "/";
  const { origin, pathname, search, hash } = new URL(to, here);
  return origin === here && /^\/p\/[^/]/.test(pathname) ? `${pathname}${search}${hash}` : "/";
}
