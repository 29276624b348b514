import { getKind, isEntityKind, isNamedBelow } from "@cloudwright/contract/kinds";

/** Returns the path of a page of a project: `pathOf("default", "runs")`. */
export function pathOf(project: string, ...rest: readonly string[]): string {
  return ["/p", project, ...rest].map((part, index) => (index === 0 ? part : encodeURIComponent(part))).join("/");
}

/** Returns the path of an entity's page. The parent is required for kinds that are named below it. */
export function entityPath(project: string, kind: string, name: string, parent = ""): string {
  return isNested(kind) ? pathOf(project, "c", parent, name) : pathOf(project, "k", getKind(kind).collection, name);
}

/** Returns the path of an entity's page, or undefined if its kind has none or the unknown parent is needed. */
export function findEntityPath(project: string, kind = "", name = ""): string | undefined {
  return isEntityKind(kind) && !isNested(kind) ? entityPath(project, kind, name) : undefined;
}

/** Returns the place of a kind's entities in the API. */
export function placeOf(project: string, kind: string, parent = ""): { readonly project: string; readonly cluster?: string } {
  return isNested(kind) ? { project, cluster: parent } : { project };
}

/** Returns whether entities of a kind are named below their parent, as node pools are below their cluster. */
export function isNested(kind: string): boolean {
  return isNamedBelow(getKind(kind));
}

/** Returns the page to open after signing in. Targets outside this console are replaced by its start page. */
export function readTarget(to: string | undefined): string {
  const here = "http://console";
  if (to === undefined || !URL.canParse(to, here)) return "/";
  const { origin, pathname, search, hash } = new URL(to, here);
  return origin === here && /^\/p\/[^/]/.test(pathname) ? `${pathname}${search}${hash}` : "/";
}
