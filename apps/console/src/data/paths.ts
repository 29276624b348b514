import { getKind, isEntityKind, isNamedBelow } from "@cloudwright/contract/kinds";

/** Returns the path of a page within a project, such as `/p/default/runs`. */
export function pathOf(project: string, ...rest: readonly string[]): string {
  return ["/p", project, ...rest].map((part, index) => (index === 0 ? part : encodeURIComponent(part))).join("/");
}

/** Returns the path of an entity's detail page. `parent` is required for nested kinds. */
export function entityPath(project: string, kind: string, name: string, parent = ""): string {
  return isNested(kind) ? pathOf(project, "c", parent, name) : pathOf(project, "k", getKind(kind).collection, name);
}

/** Returns the path of an entity's detail page, or undefined if the kind has no such page or is nested. */
export function findEntityPath(project: string, kind = "", name = ""): string | undefined {
  return isEntityKind(kind) && !isNested(kind) ? entityPath(project, kind, name) : undefined;
}

/** Returns the project and, for nested kinds, the cluster that API calls for this kind require. */
export function placeOf(project: string, kind: string, parent = ""): { readonly project: string; readonly cluster?: string } {
  return isNested(kind) ? { project, cluster: parent } : { project };
}

/** Returns whether entities of a kind have names that are unique only within their parent, as node pools do within a cluster. */
export function isNested(kind: string): boolean {
  return isNamedBelow(getKind(kind));
}

/** Returns the page to open after signing in. Falls back to the start page if the target is outside this console. */
export function readTarget(to: string | undefined): string {
  const here = "http://console";
  if (to === undefined || !URL.canParse(to, here)) return "/";
  const { origin, pathname, search, hash } = new URL(to, here);
  return origin === here && /^\/p\/[^/]/.test(pathname) ? `${pathname}${search}${hash}` : "/";
}
