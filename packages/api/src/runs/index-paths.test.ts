import fc from "fast-check";
import { expect, test } from "vitest";
import { indexPaths } from "./index-paths.ts";
import { mostSegments, splitPath } from "./split-path.ts";
import { createWork } from "./work.ts";

const segment = fc.constantFrom("[0]", "[1]", ".name", ".n", '["team"]', '["a.b"]', '["a[\\"0]"]');
const path = fc
  .tuple(fc.constantFrom("tags", "tag", "ebs"), fc.array(segment, { maxLength: 4 }))
  .map(([name, rest]) => name + rest.join(""));

test("X080 paths overlap if they are equal or one contains the other", () => {
  const isWithin = (inner: string, outer: string): boolean =>
    inner === outer || inner.startsWith(`${outer}.`) || inner.startsWith(`${outer}[`);
  fc.assert(
    fc.property(fc.array(path, { maxLength: 4 }), path, (paths, asked) => {
      const expected = paths.some((each) => isWithin(each, asked) || isWithin(asked, each));
      const index = indexPaths(paths, createWork());
      expect(index.overlaps(asked)).toBe(expected);
      expect(index.covers(asked)).toBe(paths.some((each) => isWithin(asked, each)));
    }),
  );
});

test("X080 a path is split where names and indexes begin, but not within a quoted key", () => {
  expect(splitPath('ebs[0].tags["a.b\\"[c"].x')).toEqual(["ebs", "[0]", ".tags", '["a.b\\"[c"]', ".x"]);
  for (const text of ["", ".", "[", '["', '["\\', "a["]) expect(splitPath(text).join("")).toBe(text);
});

test("X063 the steps of a comparison grow with the number of paths, and not with the depth of a hostile path", () => {
  const countSteps = (count: number): number => {
    const work = createWork();
    const paths = Array.from({ length: count }, (_, index) => `logs[${index}]`);
    const index = indexPaths(paths, work);
    for (const each of paths) index.overlaps(each.replace("logs", "other"));
    for (const each of paths) index.overlaps(`${each}.inner`);
    return work.steps;
  };
  expect(countSteps(20_000)).toBeLessThanOrEqual(2 * countSteps(10_000));
  const deep = ".a".repeat(100_000);
  expect(splitPath(deep)).toHaveLength(mostSegments);
  expect(indexPaths([`x${deep}.b`], createWork()).overlaps(`x${deep}.b.c`)).toBe(true);
});
