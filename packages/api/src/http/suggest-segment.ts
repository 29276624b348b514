import { methods } from "@cloudwright/contract";
import { suggest } from "@cloudwright/platform";

/** Every fixed segment in the paths of the API, such as `clusters`. */
const segments: ReadonlySet<string> = new Set(
  methods.flatMap(({ bindings }) => bindings.flatMap(({ path }) => path.split("/").filter((part) => /^\w+$/.test(part)))),
);

/** More than any path of the API has. Limits the work for a path with many segments. */
const maxSegments = 10;

/** Renders ` (did you mean clusters?)` for a path with a mistyped segment, or "" if no segment is similar to a known one. */
export function suggestSegment(path: string): string {
  const near = path
    .split("/")
    .slice(1, maxSegments)
    .filter((part) => !segments.has(part))
    .map((part) => suggest(part, segments))
    .find((known) => known !== undefined);
  return near === undefined ? "" : ` (did you mean ${near}?)`;
}
