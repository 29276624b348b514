import { useParams } from "@tanstack/react-router";

/** The project in the address. */
export function useProject(): string {
  const { project } = useParams({ strict: false });
  return project ?? "default";
}
