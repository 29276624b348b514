import { useParams } from "@tanstack/react-router";

/** The project in the address. */
export function useProject(): string {
  const { project } = useParams({ strict: false });
  return project ?? "default";
}

/** The project to begin with: `default`, or the first of one's own. */
export function chooseProject(names: readonly string[]): string {
  if (names.includes("default")) return "default";
  return names.find((name) => name !== "system") ?? names[0] ?? "default";
}
