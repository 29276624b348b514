import { expect, test } from "vitest";
import { createPace } from "./pace.ts";

test("X063 large requests that arrive together proceed one per turn of the event loop, in their order", async () => {
  const pace = createPace();
  const seen: string[] = [];
  const large = Array.from({ length: 4 }, async (_, nth) => {
    await pace();
    seen.push(`large ${nth}`);
  });
  const other = (async () => {
    for (let turn = 0; turn < 4; turn += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      seen.push("other");
    }
  })();
  await Promise.all([...large, other]);
  expect(seen.filter((what) => what !== "other")).toEqual(["large 0", "large 1", "large 2", "large 3"]);
  expect(seen.lastIndexOf("large 3") - seen.indexOf("large 0")).toBeGreaterThan(4);
});
