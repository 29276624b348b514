import { useParams } from "@tanstack/react-router";

/** Returns the name of the project from the page's URL. */
export function useProject(): string {
  const { project } = useParams({ strict: false });
  return project ?? "default";
}

/** Returns the project to open first: `default`, or else the first project the user can see. */
export function chooseProject(names: readonly string[]): string {
  if (names.includes("default")) return "default";
  return names.find((name) => name !== "system") ?? names[0] ?? "default";
}
