import { useParams } from "@tanstack/react-router";

/** Returns the project in the page's address. */
export function useProject(): string {
  const { project } = useParams({ strict: false });
  return project ?? "default";
}

/** Returns the project to open first: `default`, or else the first one the user can see. */
export function chooseProject(names: readonly string[]): string {
  if (names.includes("default")) return "default";
  return names.find((name) => name !== "system") ?? names[0] ?? "default";
}
