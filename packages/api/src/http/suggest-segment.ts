import { methods } from "@cloudwright/contract";
import { suggest } from "@cloudwright/platform";

/** All fixed path segments of the API, such as `clusters`. */
const segments: ReadonlySet<string> = new Set(
  methods.flatMap(({ bindings }) => bindings.flatMap(({ path }) => path.split("/").filter((part) => /^\w+$/.test(part)))),
);

/** Maximum number of segments to check, which is more than any API path has. It limits the work for very long paths. */
const maxSegments = 10;

/** Returns a suggestion such as ` (did you mean clusters?)` for a path with a mistyped segment, or "" if no segment is similar enough. */
export function suggestSegment(path: string): string {
  const near = path
    .split("/")
    .slice(1, maxSegments)
    .filter((part) => !segments.has(part))
    .map((part) => suggest(part, segments))
    .find((known) => known !== undefined);
  return near === undefined ? "" : ` (did you mean ${near}?)`;
}
